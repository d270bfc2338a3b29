#include <cuboid/base/error.hpp>
#include <cuboid/topology/congestion.hpp>
#include <cuboid/topology/routing.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace cuboid {
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

  PatternLoad result(std::span<const double> bytes_per_second) const {
    PatternLoad load{dilation_, 0};
    const double fastest = bytes_per_second.empty() ? 0 : std::ranges::max(bytes_per_second);
    for (std::size_t link = 0; link < messages_.size(); ++link) {
      const std::size_t axis = link / 2 % shape_.axes().size();
      const double rate = bytes_per_second.empty() ? 0 : bytes_per_second[axis];
      const double weight = rate > 0 ? fastest / rate : 1;
      load.worst_link = std::max(load.worst_link, weight * messages_[link]);
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

}  // namespace

PatternLoad shift_load(const Grid& grid, int axis, std::span<const double> bytes_per_second) {
  check_rates(grid, bytes_per_second);
  LinkLoads loads(grid.shape());
  for (const int start : grid.line_starts(axis)) {
    std::vector<int> line = grid.line(start, axis);
    NodeIndex from = grid.location(line.back()).node;
    for (const int rank : line) {
      const NodeIndex to = grid.location(rank).node;
      loads.send(std::exchange(from, to), to, -1);
    }
  }
  return loads.result(bytes_per_second);
}

PatternLoad broadcast_load(const Grid& grid, int axis, std::span<const double> bytes_per_second) {
  check_rates(grid, bytes_per_second);
  LinkLoads loads(grid.shape());
  for (const int root : grid.line_starts(axis)) {
    const NodeIndex from = grid.location(root).node;
    for (const int rank : grid.line(root, axis)) loads.send(from, grid.location(rank).node, root);
  }
  return loads.result(bytes_per_second);
}

}  // namespace cuboid
