#pragma once

#include <cuboid/export.hpp>
#include <cuboid/placement.hpp>
#include <cuboid/shape.hpp>

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
struct CUBOID_API Fold {
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
class CUBOID_API Grid {
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
CUBOID_API Grid alternating_grid(const Shape& shape, int slots, int cores_into);

/// What a communication pattern along one axis of a grid does to the network. Routes are
/// dimension-ordered, the shortest way (routing.hpp); within a node nothing is counted.
struct PatternLoad {
  /// Most links that one message crosses.
  int dilation = 0;
  /// Messages on the busiest link. Where links have different rates, a message on a link at 1/k of
  /// the rate of the fastest axis counts k times. 1 is what a pattern that leaves the nodes costs
  /// at best.
  double worst_link = 0;
  bool operator==(const PatternLoad&) const = default;
};

/// A message from one node to another.
struct Passage {
  NodeIndex from = 0;
  NodeIndex to = 0;
};

/// All of these messages at once.
CUBOID_API PatternLoad passages_load(const Shape& shape, std::span<const Passage> passages);

/// Every rank sends one message to the next of its line, the last to the first (a step of Cannon's
/// algorithm). `bytes_per_second` has a rate per axis of the shape, or is empty; 0 is taken for the
/// fastest.
CUBOID_API PatternLoad shift_load(const Grid& grid, int axis,
                                  std::span<const double> bytes_per_second = {});

/// In every line at once, the first rank broadcasts one message to the others, over the tree that
/// the routes to them make: a line loads each of its links once (a step of SUMMA with multicasts
/// over the network).
CUBOID_API PatternLoad broadcast_load(const Grid& grid, int axis,
                                      std::span<const double> bytes_per_second = {});

/// What a grid axis costs on the network.
struct AxisLoad {
  PatternLoad shift;
  PatternLoad broadcast;
  bool contiguous = false;  ///< Grid::contiguous()
  bool operator==(const AxisLoad&) const = default;
};

/// A grid and what it costs.
struct Mapping {
  Grid grid;
  std::vector<AxisLoad> load;  ///< of each axis of the grid
  /// Messages on the busiest links, added up over the axes, each axis by how much an algorithm
  /// moves along it.
  double cost = 0;
};

/// What a mapping is to be good for.
enum class Pattern {
  broadcast,  ///< SUMMA, 2.5D: broadcasts and reductions along lines
  shift,      ///< Cannon: shifts along lines
};

/// The mapping of a grid of the wanted extents onto a machine that costs least. Axis a of the grid
/// counts weights[a] times (empty: its extent, as each rank of a 2-D algorithm receives extent
/// blocks along it).
///
/// Candidates: every way to deal out the axes of the shape and the cores to the axes of the grid,
/// in the order and direction (plain or snake) that suits shifts best. The cores may be dealt to
/// several grid axes; an axis of the shape is cut into parts only where the grid cannot be had with
/// fewer axes cut. Costs that are equal for `pattern` are told apart by the other pattern, then by
/// dilation.
///
/// Throws Error(invalid_argument) where the placement is not full or the extents' product is not
/// the number of ranks.
CUBOID_API Mapping best_mapping(const Placement& placement, std::span<const int> extents,
                                Pattern pattern = Pattern::broadcast,
                                std::span<const double> weights = {});

/// The two-dimensional grid of all ranks, of whichever extents, that costs least: rows * broadcast
/// load along axis 0
/// + columns * that along axis 1, which is the time of SUMMA's broadcasts in messages of n^2 / P
/// words. Of equal ones the squarest, with no more rows than columns. Throws
/// Error(invalid_argument) where the placement is not full.
CUBOID_API Mapping choose_grid_2d(const Placement& placement);

/// The grid rows x columns x layers of a 2.5D algorithm that costs least, in messages of n^2 / P
/// words: rows * load + columns * load along the first two axes, as above, and 3 * layers * load
/// along the third (two matrices replicated, one reduced; Solomonik, Demmel, "Communication-optimal
/// parallel 2.5D matrix multiplication and LU factorization algorithms", 2011). Throws
/// Error(invalid_argument) where the placement is not full or `layers` does not divide the number
/// of ranks.
CUBOID_API Mapping choose_grid_25d(const Placement& placement, int layers);

/// The new rank of each old rank that realises a grid: rank r of the placement becomes rank
/// reorder()[r] of the grid, where it runs. This is what MPI_Cart_create with reorder promises.
/// Throws Error(invalid_argument) where the placement is not full or the grid is of another
/// machine.
CUBOID_API std::vector<int> reorder(const Placement& placement, const Grid& grid);

}  // namespace cuboid
