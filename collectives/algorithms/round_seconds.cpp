#include "collectives/algorithms/round_seconds.hpp"

#include <cuboid/grid.hpp>

#include "collectives/rounds/shape_numbers.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

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

// Enough samples for the mean.
constexpr int followed_of_many = 1024;

// Link crossings of a sample of the messages, by axis and direction, scaled to all messages.
RoundLoad load_by_some(const GroupNodes& group, const RoundMessages& messages) {
  const Shape& shape = *group.shape;
  std::vector<double> hops(2 * static_cast<std::size_t>(shape.dimensions()), 0);
  int farthest = 1;
  for (int sample = 0; sample < followed_of_many; ++sample) {
    const auto number = static_cast<int>(std::int64_t{sample} * messages.count / followed_of_many);
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
      std::ranges::max(hops) / followed_of_many * messages_of_a_node * messages.unevenness;
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

namespace {

bool numbered_in_order(const GroupNodes& group, int slots) {
  int next = 0;
  for (const std::vector<int>& ranks : group.ranks_of_node) {
    if (static_cast<int>(ranks.size()) != slots) return false;
    for (const int rank : ranks) {
      if (rank != next++) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<double> relative_rates(const GroupNodes& group) {
  std::vector<double> rates = group.axis_bytes_per_second;
  double slowest = std::numeric_limits<double>::infinity();
  for (std::size_t axis = 0; axis < rates.size(); ++axis) {
    if (group.shape->extent(static_cast<int>(axis)) > 1) slowest = std::min(slowest, rates[axis]);
  }
  for (double& rate : rates) rate = rate > 0 ? rate / slowest : 1;
  return rates;
}

std::optional<Shape> shape_of_ranks(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  const int slots = call.most_on_a_node();
  if (!group.shape || !numbered_in_order(group, slots)) return std::nullopt;
  std::vector<Axis> axes(group.shape->axes().begin(), group.shape->axes().end());
  axes.push_back({slots, true});
  std::erase_if(axes, [](const Axis& axis) { return axis.extent == 1; });
  if (axes.empty()) return std::nullopt;
  return Shape(std::move(axes));
}

CommonLinks::CommonLinks(const Call& call, const Shape& shape) : call_(call), shape_(shape) {
  const std::optional<Shape> own = shape_of_ranks(call);
  const GroupCostModel& cost_model = call.cost_model;
  own_axes_ =
      own && std::ranges::equal(own->axes(), shape.axes(), {}, &Axis::extent, &Axis::extent);
  const double rate = 1 / cost_model.slowest().beta;
  if (own_axes_) {
    shape_ = *own;
    const GroupNodes& group = cost_model.nodes;
    const std::vector<double> relative = relative_rates(group);
    for (int axis = 0; axis < group.shape->dimensions(); ++axis) {
      if (group.shape->extent(axis) == 1) continue;
      const double faster = relative.empty() ? 1 : relative[static_cast<std::size_t>(axis)];
      rates_.insert(rates_.end(), 2, faster * rate);  // up and down
    }
    if (call.most_on_a_node() > 1) slots_ = shape_.dimensions() - 1;
  } else {
    rates_ = {rate};
  }
  if (cost_model.injection_bytes_per_second > 0)
    rates_.push_back(cost_model.injection_bytes_per_second);
}

// Returns the number of links.
double CommonLinks::cross_axes(std::span<const int> distances,
                               std::vector<double>& crossings) const {
  double links = 0;
  for (int axis = 0; axis < shape_.dimensions(); ++axis) {
    const int up = distances[static_cast<std::size_t>(axis)];
    if (up == 0 || axis == slots_) continue;
    const int extent = shape_.extent(axis);
    const int down = extent - up;
    const double of_a_node = call_.most_on_a_node();
    double& upwards = crossings[2 * static_cast<std::size_t>(axis)];
    double& downwards = crossings[2 * static_cast<std::size_t>(axis) + 1];
    const double shorter = std::min(up, down) * of_a_node;
    if (!shape_.wraps(axis)) {
      // Those to beyond the end go back, and cross as many others.
      upwards = downwards = shorter;
      links += std::max(up, down);
      continue;
    }
    links += std::min(up, down);
    if (up < down) upwards = shorter;
    if (down < up) downwards = shorter;
    // Every other one goes down; round a ring of two both over the same cable.
    if (up == down) upwards = downwards = (up + 1) / 2 * of_a_node;
  }
  return links;
}

double CommonLinks::cross_network(std::span<const int> distances,
                                  std::vector<double>& crossings) const {
  const NodeIndex distance = number_of(shape_, distances);
  const RoundLoad load =
      round_load(call_, {.count = call_.ranks(), .message = [&](int rank) -> RoundMessage {
                           return {rank, static_cast<int>(node_at(shape_, rank, distance))};
                         }});
  crossings.front() = load.on_link;
  return load.farthest;
}

CommonMessage CommonLinks::message(std::span<const int> distances, double bytes) const {
  CommonMessage message{.bytes = bytes, .crossings = std::vector<double>(rates_.size(), 0.0)};
  const GroupCostModel& cost_model = call_.cost_model;
  const double links = own_axes_ ? cross_axes(distances, message.crossings)
                                 : cross_network(distances, message.crossings);
  if (links == 0) {
    message.latency = cost_model.node.alpha;
    message.receive_seconds = cost_model.node.beta * bytes;
    return message;
  }
  if (cost_model.injection_bytes_per_second > 0) message.crossings.back() = call_.most_on_a_node();
  const LogGP network = cost_model.between_nodes();
  message.send_seconds = network.send_overhead;
  message.latency = network.latency + cost_model.hop_seconds * (links - 1);
  message.receive_seconds = network.receive_overhead;
  return message;
}

namespace {

// The links beyond one for each edge from a rank to its root. Of a way of many edges the first ones
// stand for all.
double further_links_above(const GroupNodes& group, const RelativesOf& relatives, int rank,
                           double depth) {
  constexpr int followed = 64;
  double further = 0;
  for (int edges = 0; edges < followed; ++edges) {
    const std::optional<int> parent = relatives(rank).parent;
    if (!parent) return further;
    const int links = group.shape->distance(group.node_of(rank), group.node_of(*parent));
    further += std::max(links - 1, 0);
    rank = *parent;
  }
  return further * std::max(depth / followed, 1.0);
}

}  // namespace

double further_links_seconds(const Call& call, const TreeSteps& steps,
                             const RelativesOf& relatives) {
  const GroupNodes& group = call.cost_model.nodes;
  const double hop = call.cost_model.hop_seconds;
  if (hop == 0 || !group.shape || group.nodes() == 1) return 0;
  constexpr int followed = 16;
  const int ranks = call.ranks();
  const double ways = call.flow() == Flow::combine_then_multicast ? 2 : 1;
  double most = 0;
  for (int i = 0; i < std::min(followed, ranks); ++i) {
    // The last ranks of halves, quarters and so on are the farthest of trees that double.
    const auto rank = static_cast<int>(ranks - 1 - std::int64_t{i} * ranks / followed);
    most = std::max(most, further_links_above(group, relatives, rank, steps.depth / ways));
  }
  return hop * most * ways;
}

}  // namespace cuboid::detail
