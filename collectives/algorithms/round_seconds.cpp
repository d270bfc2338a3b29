#include "collectives/algorithms/round_seconds.hpp"

#include <cuboid/grid.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
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

double most_of_all(const GroupNodes& group, const RoundMessages& messages) {
  std::vector<Passage> passages;
  for (int number = 0; number < messages.count; ++number) {
    const auto [sender, receiver] = messages.message(number);
    const int from = group.node_of(sender);
    const int to = group.node_of(receiver);
    if (from != to) passages.push_back({from, to});
  }
  if (passages.empty()) return 1;
  return group.shape ? passages_load(*group.shape, passages).worst_link
                     : most_at_a_node(group.nodes(), passages);
}

// The links that some of the messages pass, by axis and direction, as if they were all.
double most_by_some(const GroupNodes& group, const RoundMessages& messages) {
  const Shape& shape = *group.shape;
  std::vector<double> hops(2 * static_cast<std::size_t>(shape.dimensions()), 0);
  for (int turn = 0; turn < most_followed; ++turn) {
    const auto number = static_cast<int>(std::int64_t{turn} * messages.count / most_followed);
    const auto [sender, receiver] = messages.message(number);
    const Coordinate from = shape.coordinate(group.node_of(sender));
    const Coordinate to = shape.coordinate(group.node_of(receiver));
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
      const int extent = shape.extent(static_cast<int>(axis));
      int distance = to[axis] - from[axis];
      if (shape.wraps(static_cast<int>(axis)) && 2 * std::abs(distance) > extent)
        distance += distance > 0 ? -extent : extent;
      hops[2 * axis + (distance > 0 ? 1 : 0)] += std::abs(distance);
    }
  }
  const double messages_of_a_node =
      static_cast<double>(messages.count) / static_cast<double>(shape.nodes());
  return std::ranges::max(hops) / most_followed * messages_of_a_node * messages.unevenness;
}

double most_at_any_node(const GroupNodes& group, const RoundMessages& messages) {
  std::size_t ranks = 1;
  for (const auto& on_node : group.ranks_of_node) ranks = std::max(ranks, on_node.size());
  return static_cast<double>(ranks) * messages.of_a_rank;
}

}  // namespace

double most_on_a_link(const Call& call, const RoundMessages& messages) {
  const GroupNodes& group = call.cost_model.nodes;
  if (group.nodes() == 1) return 1;
  if (messages.count <= most_followed) return most_of_all(group, messages);
  return std::max(1.0,
                  group.shape ? most_by_some(group, messages) : most_at_any_node(group, messages));
}

double round_seconds(const Call& call, double bytes, const RoundMessages& messages) {
  const Hockney& network = call.cost_model.slowest();
  const double of_a_node =
      static_cast<double>(messages.count) / static_cast<double>(call.cost_model.nodes.nodes());
  return network.alpha + call.cost_model.network_overhead * (messages.of_a_rank - 1) +
         std::max(network.beta * bytes * most_on_a_link(call, messages),
                  call.cost_model.injection_seconds(bytes * of_a_node));
}

double shift_seconds(const Call& call, double bytes, int distance) {
  const int ranks = call.ranks();
  return round_seconds(call, bytes, {.count = ranks, .message = [=](int rank) -> RoundMessage {
                                       return {rank, (rank + distance) % ranks};
                                     }});
}

}  // namespace cuboid::detail
