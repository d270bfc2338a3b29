#pragma once

#include <cuboid/export.hpp>
#include <cuboid/shape.hpp>

#include <optional>
#include <vector>

namespace cuboid {

/// Where a rank runs: the node's index in the shape, and the slot (a core or a group of cores) on
/// that node.
struct Location {
  NodeIndex node = 0;
  int slot = 0;
  bool operator==(const Location&) const = default;
};

/// Where every rank runs. The s slots of a node act as a further axis of extent s, the core axis.
class CUBOID_API Placement {
 public:
  /// Throws Error(invalid_argument) for no ranks, a location outside the shape, a slot < 0, or two
  /// ranks at one location.
  Placement(ShapeSpec network, std::vector<Location> of_rank);

  /// Ranks 0 to s - 1 on the shape's first node, the next s on its second, and so on.
  static Placement by_node(const ShapeSpec& network, int slots);
  /// The first rank of every node, then the second of every node, and so on.
  static Placement round_robin(const ShapeSpec& network, int slots);
  /// All ranks in slots of a single node: for unknown machines.
  static Placement flat(int ranks);

  const Shape& shape() const { return network_.shape; }
  /// Rate of a link along each axis of the shape; 0 if unknown.
  const std::vector<double>& bytes_per_second() const { return network_.bytes_per_second; }

  int ranks() const { return static_cast<int>(of_rank_.size()); }
  /// Slots per node: one more than the highest slot in use.
  int slots() const { return slots_; }
  /// Whether every slot of every node has a rank. Grids require that.
  bool full() const { return ranks() == shape().nodes() * slots(); }

  /// The location of a rank. Throws Error(invalid_argument) for an unknown rank.
  Location location(int rank) const;
  /// The rank at a location; nullopt if none runs there.
  std::optional<int> rank(const Location& location) const;

 private:
  ShapeSpec network_;
  std::vector<Location> of_rank_;
  int slots_ = 0;
  std::vector<int> rank_at_;  ///< by node, then slot; -1: none
};

}  // namespace cuboid
