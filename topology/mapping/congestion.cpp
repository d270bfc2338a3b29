#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>

#include "topology/network/routing.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;
namespace {

/// Adds up messages per link.
class LinkLoads {
 public:
  explicit LinkLoads(const Shape& shape)
      : shape_(shape),
        messages_(static_cast<std::size_t>(2 * shape.nodes() * shape.dimensions()), 0),
        last_tree_(messages_.size(), -1) {}

  /// A message from one node to another. Messages of the same tree use a link once; tree -1 is
  /// none.
  void send(NodeIndex from, NodeIndex to, int tree) {
    hops_.clear();
    append_route(shape_, from, to, hops_);
    dilation_ = std::max(dilation_, static_cast<int>(hops_.size()));
    for (const Hop& hop : hops_) {
      const auto link = static_cast<std::size_t>(link_number(shape_, hop));
      if (tree >= 0 && std::exchange(last_tree_[link], tree) == tree) continue;
      ++messages_[link];
    }
  }

  PatternLoad result(int copies, std::span<const double> bytes_per_second) const {
    PatternLoad load{dilation_, 0};
    const double fastest = bytes_per_second.empty() ? 0 : std::ranges::max(bytes_per_second);
    for (std::size_t link = 0; link < messages_.size(); ++link) {
      const std::size_t axis = link / 2 % shape_.axes().size();
      const double rate = bytes_per_second.empty() ? 0 : bytes_per_second[axis];
      const double weight = rate > 0 ? fastest / rate : 1;
      load.worst_link = std::max(load.worst_link, weight * copies * messages_[link]);
    }
    return load;
  }

 private:
  const Shape& shape_;
  std::vector<int> messages_;
  std::vector<int> last_tree_;
  std::vector<Hop> hops_;
  int dilation_ = 0;
};

void check_rates(const Grid& grid, std::span<const double> bytes_per_second) {
  if (!bytes_per_second.empty() &&
      std::cmp_not_equal(bytes_per_second.size(), grid.shape().dimensions())) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} rates for the axes of {}", bytes_per_second.size(),
                            grid.shape().to_string()));
  }
}

/// The part of a machine in which the lines of one grid axis can meet, one of many that are alike.
struct Slice {
  Grid grid;       ///< axis 0 is the axis looked at, axis 1 all else
  int copies = 1;  ///< lines that run through the very same nodes, for each one in the slice
};

/// Lines at different positions of an axis that their fold has no part of never share a link, as
/// routes keep to their slice; lines through different slots of the same nodes share all of them.
/// So one position and one slot tell all.
Slice slice_of(const Grid& grid, int axis) {
  Fold looked_at = grid.folds()[static_cast<std::size_t>(axis)];
  std::vector<bool> touched(grid.shape().axes().size(), false);
  int slots = 1;
  std::ranges::sort(looked_at.digits, {}, &Digit::stride);
  std::vector<Digit> in_order = grid.folds()[static_cast<std::size_t>(axis)].digits;
  for (const Digit& digit : looked_at.digits) {
    if (digit.axis < grid.core_axis()) {
      touched[static_cast<std::size_t>(digit.axis)] =
          touched[static_cast<std::size_t>(digit.axis)] || digit.extent > 1;
      continue;
    }
    *std::ranges::find(in_order, digit) = {digit.axis, digit.extent, slots};
    slots *= digit.extent;
  }
  looked_at.digits = std::move(in_order);

  std::vector<Axis> axes = grid.shape().axes();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!touched[i]) axes[i].extent = 1;
  }
  Fold rest;
  for (int other = 0; other < grid.dimensions(); ++other) {
    if (other == axis) continue;
    std::ranges::copy_if(grid.folds()[static_cast<std::size_t>(other)].digits,
                         std::back_inserter(rest.digits), [&](const Digit& digit) {
                           return digit.axis < grid.core_axis() &&
                                  touched[static_cast<std::size_t>(digit.axis)];
                         });
  }
  std::erase_if(looked_at.digits, [](const Digit& digit) { return digit.extent == 1; });
  return {Grid(Shape(std::move(axes)), slots, {std::move(looked_at), std::move(rest)}),
          grid.slots() / slots};
}

std::vector<NodeIndex> nodes_of(const Grid& grid, const std::vector<int>& line) {
  std::vector<NodeIndex> nodes;
  for (const int rank : line) nodes.push_back(grid.location(rank).node);
  return nodes;
}

}  // namespace

PatternLoad passages_load(const Shape& shape, std::span<const Passage> passages) {
  LinkLoads loads(shape);
  for (const Passage& passage : passages) loads.send(passage.from, passage.to, -1);
  return loads.result(1, {});
}

PatternLoad shift_load(const Grid& grid, int axis, std::span<const double> bytes_per_second) {
  check_rates(grid, bytes_per_second);
  const Slice slice = slice_of(grid, axis);
  LinkLoads loads(slice.grid.shape());
  for (const int start : slice.grid.line_starts(0)) {
    const std::vector<NodeIndex> nodes = nodes_of(slice.grid, slice.grid.line(start, 0));
    for (std::size_t i = 0; i < nodes.size(); ++i)
      loads.send(nodes[i], nodes[(i + 1) % nodes.size()], -1);
  }
  return loads.result(slice.copies, bytes_per_second);
}

PatternLoad broadcast_load(const Grid& grid, int axis, std::span<const double> bytes_per_second) {
  check_rates(grid, bytes_per_second);
  const Slice slice = slice_of(grid, axis);
  LinkLoads loads(slice.grid.shape());
  for (const int root : slice.grid.line_starts(0)) {
    const std::vector<NodeIndex> nodes = nodes_of(slice.grid, slice.grid.line(root, 0));
    for (const NodeIndex node : nodes) loads.send(nodes.front(), node, root);
  }
  return loads.result(slice.copies, bytes_per_second);
}

}  // namespace cuboid
