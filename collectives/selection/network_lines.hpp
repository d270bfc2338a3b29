#pragma once

#include "collectives/evaluation/call.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// The ranks of a large group that are asked in place of all ranks. They are on the nodes of the
/// lines through the root's node, one line along each axis of the network, and on some other nodes.
/// All routes keep to one axis after the other, so the messages of a line's nodes tell what the
/// line's links carry, and other lines are like it. Of the other nodes only the messages that leave
/// them are known.
class NetworkLines {
 public:
  /// @param most_nodes  about how many nodes are asked
  NetworkLines(const Call& call, int most_nodes);

  std::span<const int> ranks() const { return ranks_; }
  /// The nodes of these ranks, in the order of ranks().
  std::span<const int> nodes() const { return nodes_; }

  /// The messages between nodes that are under way at once.
  class Load {
   public:
    explicit Load(const NetworkLines& lines);
    /// Adds a message from or to one of these ranks. Each message must be added once.
    void add(int from_node, int to_node, double bytes);
    /// Bytes over the busiest link, scaled to the slowest rate.
    double busiest() const;
    /// The links that the farthest message crosses; 0: there is no message.
    double farthest() const { return farthest_; }

   private:
    struct Change {  // the change of the bytes from each link of a line to the next
      std::vector<double> up = {};
      std::vector<double> down = {};
    };
    const NetworkLines& lines_;
    std::vector<Change> by_axis_;
    std::vector<double> out_, in_;  // by node; used if the network has no known shape
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
  std::vector<double> rates_;  // by axis, relative to the slowest axis
  int nodes_of_group_;
  int anchor_;
  std::vector<int> ranks_;
  std::vector<int> nodes_;
};

}  // namespace cuboid::detail
