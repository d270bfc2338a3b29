#pragma once

#include <cuboid/topology/placement.hpp>
#include <cuboid/topology/shape.hpp>

#include <span>
#include <string>
#include <vector>

namespace cuboid {

/// A physical axis, or a part of one: of a position x along it, the digit (x / stride) mod extent.
/// The axes of the shape are 0, 1, ...; the one after them is the core axis, whose positions are a
/// node's slots.
struct Digit {
  int axis = 0;
  int extent = 1;
  int stride = 1;
  bool operator==(const Digit&) const = default;
};

/// How digits are folded into one axis of a grid.
struct Fold {
  /// From the slowest to the fastest.
  std::vector<Digit> digits;
  /// Every digit runs back where the slower ones moved on by one (a boustrophedon, the reflected
  /// Gray code of mixed radix), so that neighbours on the grid axis differ by one step of one
  /// digit. Otherwise it jumps back to 0.
  bool snake = false;
  bool operator==(const Fold&) const = default;

  /// Product of the digits' extents.
  int extent() const;
};

/// A process grid laid into a machine: one rank per slot, and for each axis of the grid what is
/// folded into it. Ranks of the grid are row-major, the last axis fastest.
class Grid {
 public:
  /// Throws Error(invalid_argument) unless the digits of all folds together are every position of
  /// every physical axis exactly once.
  Grid(Shape shape, int slots, std::vector<Fold> folds);

  const Shape& shape() const { return shape_; }
  int slots() const { return slots_; }
  /// The number of the core axis in a Digit.
  int core_axis() const { return shape_.dimensions(); }

  int dimensions() const { return static_cast<int>(folds_.size()); }
  int extent(int axis) const { return folds_[static_cast<std::size_t>(axis)].extent(); }
  std::vector<int> extents() const;
  const std::vector<Fold>& folds() const { return folds_; }
  int ranks() const;

  /// How much a rank of the grid grows with one step along `axis`.
  int stride(int axis) const;

  /// The grid coordinate of a rank of the grid, and back. Throws Error(invalid_argument) outside
  /// the grid.
  std::vector<int> coordinate(int rank) const;
  int rank(std::span<const int> coordinate) const;

  /// Where a rank of the grid runs, and which one runs in a place. Throws Error(invalid_argument)
  /// outside.
  Location location(int rank) const;
  int rank_at(const Location& location) const;

  /// The ranks that differ from `rank` in their coordinate on `axis` only, `rank` itself included,
  /// in order.
  std::vector<int> line(int rank, int axis) const;
  /// The first rank of each line along an axis.
  std::vector<int> line_starts(int axis) const;

  /// Whether the nodes of every line along `axis` are a box of the network without gaps, so that
  /// rectangular collectives can run on it (Solomonik, Bhatele, Demmel, "Improving communication
  /// performance in dense linear algebra via topology aware collectives", section 3).
  bool contiguous(int axis) const;

  /// "16x8: (axis 0: 4, cores: 4) x (axis 1: 8)".
  std::string to_string() const;

  bool operator==(const Grid&) const = default;

 private:
  Shape shape_;
  int slots_ = 1;
  std::vector<Fold> folds_;
};

/// The d axes of a shape on a two-dimensional grid as SD-Cannon lays them (Solomonik, Demmel,
/// UCB/EECS-2012-28, section 2.1): axes 0, 2, 4, ... into the first axis of the grid, axes 1, 3, 5,
/// ... into the second, lower axes faster. The cores go into grid axis `cores_into` (0 or 1),
/// fastest of all. Throws Error(invalid_argument) for another.
Grid alternating_grid(const Shape& shape, int slots, int cores_into);

}  // namespace cuboid
