#include "collectives/selection/network_lines.hpp"

#include "collectives/evaluation/shape_of_ranks.hpp"
#include "topology/network/routing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <set>

namespace cuboid::detail {

namespace {

int position(const Shape& shape, int axis, int node) {
  return shape.coordinate(node, axis);
}

int moved_along(const Shape& shape, int axis, int node, int to) {
  return node + static_cast<int>((to - position(shape, axis, node)) * shape.stride(axis));
}

int sum_of_positions(const Shape& shape, int node) {
  int sum = 0;
  for (int axis = 0; axis < shape.dimensions(); ++axis) sum += position(shape, axis, node);
  return sum;
}

}  // namespace

NetworkLines::NetworkLines(const Call& call, int most_nodes)
    : shape_(call.cost_model.nodes.shape ? &*call.cost_model.nodes.shape : nullptr),
      rates_(relative_rates(call.cost_model.nodes)),
      nodes_of_group_(call.cost_model.nodes.nodes()),
      anchor_(call.cost_model.nodes.node_of(call.collective.root)) {
  const GroupNodes& group = call.cost_model.nodes;
  std::set<int> asked{anchor_};
  if (shape_ != nullptr) {
    const int elsewhere = most_nodes / 2;
    for (int number = 0; number < elsewhere; ++number)
      asked.insert(static_cast<int>(NodeIndex{number} * nodes_of_group_ / elsewhere));
    for (int axis = 0; axis < shape_->dimensions(); ++axis) {
      const int extent = shape_->extent(axis);
      const int from = position(*shape_, axis, anchor_);
      const int most = std::max(most_nodes / 2 / shape_->dimensions(), 1);
      // The nearest nodes first, on both sides.
      for (int far = 1; far < std::min(extent, most); ++far)
        asked.insert(
            moved_along(*shape_, axis, anchor_,
                        (from + (far % 2 == 1 ? (far + 1) / 2 : extent - far / 2)) % extent));
    }
  } else {
    const int some = std::min(most_nodes, nodes_of_group_);
    for (int number = 0; number < some; ++number)
      asked.insert(
          (anchor_ + static_cast<int>(static_cast<long>(number) * nodes_of_group_ / some)) %
          nodes_of_group_);
  }
  for (const int node : asked) {
    for (const int rank : group.ranks_of_node[static_cast<std::size_t>(node)]) {
      ranks_.push_back(rank);
      nodes_.push_back(node);
    }
  }
}

bool NetworkLines::is_on_line(int node, int axis) const {
  for (int other = 0; other < shape_->dimensions(); ++other) {
    if (other != axis && position(*shape_, other, node) != position(*shape_, other, anchor_))
      return false;
  }
  return true;
}

NetworkLines::Load::Load(const NetworkLines& lines) : lines_(lines) {
  if (lines.shape_ == nullptr) {
    out_.assign(static_cast<std::size_t>(lines.nodes_of_group_), 0);
    in_ = out_;
    return;
  }
  for (const Axis& axis : lines.shape_->axes()) {
    const std::vector<double> none(static_cast<std::size_t>(axis.extent) + 1, 0.0);
    by_axis_.push_back({none, none});
  }
}

void NetworkLines::Load::add(int from_node, int to_node, double bytes) {
  if (from_node == to_node) return;
  if (lines_.shape_ == nullptr) {
    out_[static_cast<std::size_t>(from_node)] += bytes;
    in_[static_cast<std::size_t>(to_node)] += bytes;
    farthest_ = 1;
    return;
  }
  const Shape& shape = *lines_.shape_;
  const int destination = sum_of_positions(shape, to_node);
  double links = 0;
  int last_axis = 0;
  const auto cross = [&](int axis, bool counts) {
    const int begin = position(shape, axis, from_node);
    const int end = position(shape, axis, to_node);
    const int steps = steps_of_route(shape, axis, begin, end, destination - end, HalfWay::in_turn);
    if (!counts || steps == 0) return steps;
    auto& change = by_axis_[static_cast<std::size_t>(axis)];
    std::vector<double>& way = steps > 0 ? change.up : change.down;
    const int extent = shape.extent(axis);
    // Link i is above position i.
    const int first = steps > 0 ? begin : end;
    const int past = first + std::abs(steps);
    way[static_cast<std::size_t>(first)] += bytes;
    way[static_cast<std::size_t>(std::min(past, extent))] -= bytes;
    if (past > extent) {
      way[0] += bytes;
      way[static_cast<std::size_t>(past - extent)] -= bytes;
    }
    return steps;
  };
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const int steps = cross(axis, lines_.is_on_line(from_node, axis));
    if (steps == 0) continue;
    if (links == 0) {
      const double carried = first_links_[{from_node, 2 * axis + (steps > 0 ? 1 : 0)}] += bytes;
      busiest_first_ = std::max(busiest_first_, carried / lines_.relative_rate(axis));
    }
    links += std::abs(steps);
    last_axis = axis;
  }
  // A message to the root from elsewhere crosses the root's own line last.
  if (to_node == lines_.anchor_ && !lines_.is_on_line(from_node, last_axis)) cross(last_axis, true);
  farthest_ = std::max(farthest_, links);
}

double NetworkLines::Load::busiest() const {
  if (lines_.shape_ == nullptr) return std::max(std::ranges::max(out_), std::ranges::max(in_));
  double busiest = busiest_first_;
  for (std::size_t axis = 0; axis < by_axis_.size(); ++axis) {
    for (const auto* way : {&by_axis_[axis].up, &by_axis_[axis].down}) {
      double here = 0;
      double most = 0;
      for (const double change : *way) most = std::max(most, here += change);
      busiest = std::max(busiest, most / lines_.relative_rate(static_cast<int>(axis)));
    }
  }
  return busiest;
}

}  // namespace cuboid::detail
