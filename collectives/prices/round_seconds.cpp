#include "collectives/prices/round_seconds.hpp"

#include <cuboid/grid.hpp>

#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace cuboid::detail {

namespace {

double most_at_a_node(int nodes, std::span<const Passage> passages) {
  std::vector<int> out(static_cast<std::size_t>(nodes), 0);
  std::vector<int> in(out);
  for (const Passage& passage : passages) {
    ++out[static_cast<std::size_t>(passage.from)];
    ++in[static_cast<std::size_t>(passage.to)];
  }
  return std::max(std::ranges::max(out), std::ranges::max(in));
}

RoundLoad load_of_all(const GroupNodes& group, const RoundMessages& messages) {
  std::vector<Passage> passages;
  int farthest = 1;
  for (int number = 0; number < messages.count; ++number) {
    const auto [sender, receiver] = messages.message(number);
    const int from = group.node_of(sender);
    const int to = group.node_of(receiver);
    if (from == to) continue;
    passages.push_back({from, to});
    if (group.shape) farthest = std::max(farthest, group.shape->distance(from, to));
  }
  if (passages.empty()) return {};
  const double busiest = group.shape ? passages_load(*group.shape, passages).worst_link
                                     : most_at_a_node(group.nodes(), passages);
  return {busiest, static_cast<double>(farthest)};
}

// Enough samples for the mean. Of very many ranks each is a miss of all caches.
int followed_of(int messages) {
  constexpr int very_many = 1 << 16;
  return messages > very_many ? 256 : 1024;
}

// Link crossings of a sample of the messages, by axis and direction, scaled to all messages.
RoundLoad load_by_some(const GroupNodes& group, const RoundMessages& messages) {
  const Shape& shape = *group.shape;
  const int followed = followed_of(messages.count);
  std::vector<double> hops(2 * static_cast<std::size_t>(shape.dimensions()), 0);
  int farthest = 1;
  for (int sample = 0; sample < followed; ++sample) {
    const auto number = static_cast<int>(std::int64_t{sample} * messages.count / followed);
    const auto [sender, receiver] = messages.message(number);
    NodeIndex from = group.node_of(sender);
    NodeIndex to = group.node_of(receiver);
    int links = 0;
    for (int axis = shape.dimensions() - 1; axis >= 0; --axis) {
      const int extent = shape.extent(axis);
      auto distance = static_cast<int>(to % extent - from % extent);
      from /= extent;
      to /= extent;
      if (shape.wraps(axis) && 2 * std::abs(distance) > extent)
        distance += distance > 0 ? -extent : extent;
      hops[2 * static_cast<std::size_t>(axis) + (distance > 0 ? 1 : 0)] += std::abs(distance);
      links += std::abs(distance);
    }
    farthest = std::max(farthest, links);
  }
  const double messages_of_a_node =
      static_cast<double>(messages.count) / static_cast<double>(shape.nodes());
  const double busiest =
      std::ranges::max(hops) / followed * messages_of_a_node * messages.unevenness;
  return {std::max(1.0, busiest), static_cast<double>(farthest)};
}

}  // namespace

RoundLoad round_load(const Call& call, const RoundMessages& messages) {
  const GroupNodes& group = call.cost_model.nodes;
  if (group.nodes() == 1) return {};
  if (messages.count <= most_followed) return load_of_all(group, messages);
  const double of_a_node = static_cast<double>(call.most_on_a_node()) * messages.of_a_rank;
  return group.shape ? load_by_some(group, messages) : RoundLoad{of_a_node, 1};
}

double round_seconds(const Call& call, double bytes, const RoundMessages& messages) {
  const Hockney& network = call.cost_model.slowest();
  const double of_a_node =
      static_cast<double>(messages.count) / static_cast<double>(call.cost_model.nodes.nodes());
  const RoundLoad load = round_load(call, messages);
  return network.alpha + call.cost_model.hop_seconds * (load.farthest - 1) +
         call.cost_model.network_overhead * (messages.of_a_rank - 1) +
         std::max(network.beta * bytes * load.on_link,
                  call.cost_model.injection_seconds(bytes * of_a_node));
}

double shift_seconds(const Call& call, double bytes, int distance) {
  const int ranks = call.ranks();
  return round_seconds(call, bytes, {.count = ranks, .message = [=](int rank) -> RoundMessage {
                                       return {rank, (rank + distance) % ranks};
                                     }});
}

}  // namespace cuboid::detail
