#pragma once

#include "collectives/evaluation/call.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// Ranks of a large group that are asked in place of all: those on the nodes of the lines, one
/// along each axis of the network, that pass through the root's node, and those of some nodes
/// elsewhere. All routes keep to one axis after the other, so the messages of a line's nodes tell
/// what its links carry, and other lines are like it. Of nodes elsewhere it is known what leaves
/// them.
class NetworkLines {
 public:
  /// @param most_nodes  are asked, or a few more.
  NetworkLines(const Call& call, int most_nodes);

  std::span<const int> ranks() const { return ranks_; }
  /// By number in ranks().
  std::span<const int> nodes() const { return nodes_; }

  /// Messages between nodes that are under way at once.
  class Load {
   public:
    explicit Load(const NetworkLines& lines);
    /// From one of these ranks, or to one: each message once.
    void add(int from_node, int to_node, double bytes);
    /// Bytes over the busiest link, of one of the slowest.
    double busiest() const;
    /// Links that the farthest message crosses; 0: there is none.
    double farthest() const { return farthest_; }

   private:
    struct Change {  // of bytes from link to link of a line
      std::vector<double> up = {};
      std::vector<double> down = {};
    };
    const NetworkLines& lines_;
    std::vector<Change> by_axis_;
    std::vector<double> out_, in_;                       // by node, where there is no shape
    std::map<std::pair<int, int>, double> first_links_;  // by node and direction
    double busiest_first_ = 0;
    double farthest_ = 0;
  };

 private:
  friend class Load;
  bool is_on_line(int node, int axis) const;
  double relative_rate(int axis) const {
    return rates_.empty() ? 1 : rates_[static_cast<std::size_t>(axis)];
  }

  const Shape* shape_;
  std::vector<double> rates_;  // by axis, relative to the slowest
  int nodes_of_group_;
  int anchor_;
  std::vector<int> ranks_;
  std::vector<int> nodes_;
};

}  // namespace cuboid::detail
