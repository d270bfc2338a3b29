#pragma once

#include <cuboid/export.hpp>
#include <cuboid/shape.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cuboid {

/// The place of a rank: the node's index in the shape, and the slot (a core or a group of cores) on
/// that node.
struct Location {
  NodeIndex node = 0;
  int slot = 0;
  bool operator==(const Location&) const = default;
};

/// The locations of all ranks. The s slots of a node act as a further axis of extent s, the core
/// axis.
class CUBOID_API Placement {
 public:
  /// Throws Error(invalid_argument) for no ranks, a location outside the shape, a slot < 0, or two
  /// ranks at one location.
  Placement(ShapeSpec network, std::vector<Location> of_rank);

  /// Places ranks 0 to s - 1 on the shape's first node, the next s ranks on its second node, and so
  /// on. by_node() and round_robin() throw Error(invalid_argument) for slots < 1 or more than 2^31
  /// - 1 ranks.
  static Placement by_node(const ShapeSpec& network, int slots);
  /// Places one rank on every node in order, then a second rank on every node, and so on.
  static Placement round_robin(const ShapeSpec& network, int slots);
  /// Places all ranks in slots of a single node: for unknown machines.
  static Placement flat(int ranks);

  const Shape& shape() const { return network_.shape; }
  /// The rate of a link along each axis of the shape, in bytes per second; 0 if unknown.
  const std::vector<double>& bytes_per_second() const { return network_.bytes_per_second; }

  int ranks() const { return static_cast<int>(of_rank_.size()); }
  /// The number of slots per node: one more than the highest slot in use.
  int slots() const { return slots_; }
  /// True if every slot of every node has a rank. Grids require that.
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

/// A physical axis, or a part of one: the digit (x / stride) mod extent of a position x along the
/// axis. The axes of the shape are 0, 1, ...; the next number is the core axis, whose positions are
/// a node's slots.
struct Digit {
  int axis = 0;
  int extent = 1;
  int stride = 1;
  bool operator==(const Digit&) const = default;
};

/// The digits that are folded into one axis of a grid.
struct CUBOID_API Fold {
  /// The digits, slowest first.
  std::vector<Digit> digits;
  /// If true, a digit reverses direction whenever the slower digits advance (reflected Gray code of
  /// mixed radix), so neighbours on the grid axis differ by one step of one digit. If false, it
  /// jumps back to 0.
  bool snake = false;
  bool operator==(const Fold&) const = default;

  /// Product of the digits' extents.
  int extent() const;
};

/// A process grid mapped onto a machine: one rank per slot, and for each axis of the grid the
/// digits that are folded into it. Ranks of the grid are numbered row-major, the last axis fastest.
class CUBOID_API Grid {
 public:
  /// Throws Error(invalid_argument) unless the digits of all folds together cover every position of
  /// every physical axis exactly once.
  Grid(Shape shape, int slots, std::vector<Fold> folds);

  const Shape& shape() const { return shape_; }
  int slots() const { return slots_; }
  /// The number that stands for the core axis in Digit::axis.
  int core_axis() const { return shape_.dimensions(); }

  int dimensions() const { return static_cast<int>(folds_.size()); }
  int extent(int axis) const { return folds_[static_cast<std::size_t>(axis)].extent(); }
  /// The extent of each axis of the grid.
  std::vector<int> extents() const;
  const std::vector<Fold>& folds() const { return folds_; }
  /// The number of ranks: nodes of the shape times slots.
  int ranks() const;

  /// The difference between the numbers of two ranks that are one step apart along `axis`.
  int stride(int axis) const;

  /// The grid coordinate of a rank of the grid. Throws Error(invalid_argument) outside the grid.
  std::vector<int> coordinate(int rank) const;
  /// The rank of a grid coordinate. Throws Error(invalid_argument) outside the grid.
  int rank(std::span<const int> coordinate) const;

  /// The location of a rank of the grid. Throws Error(invalid_argument) outside the grid.
  Location location(int rank) const;
  /// The rank of the grid at a location. Throws Error(invalid_argument) outside the machine.
  int rank_at(const Location& location) const;

  /// The ranks that differ from `rank` only in their coordinate on `axis`, in order. `rank` is
  /// among them.
  std::vector<int> line(int rank, int axis) const;
  /// The first rank of each line along an axis.
  std::vector<int> line_starts(int axis) const;

  /// True if the nodes of every line along `axis` form a box of the network without gaps, so
  /// rectangular collectives can run on it (Solomonik et al. 2011, §3).
  bool contiguous(int axis) const;

  /// "16x8: (axis 0: 4, cores: 4) x (axis 1: 8)".
  std::string to_string() const;

  bool operator==(const Grid&) const = default;

 private:
  Shape shape_;
  int slots_ = 1;
  std::vector<Fold> folds_;
};

/// The mapping of a shape onto a two-dimensional grid that SD-Cannon uses (Solomonik and Demmel
/// 2012, §2.1): axes 0, 2, 4, ... are folded into the first axis of the grid, axes 1, 3, 5, ...
/// into the second, lower axes faster. The cores are folded into grid axis `cores_into` (0 or 1),
/// fastest of all. Throws Error(invalid_argument) for other values of `cores_into`.
CUBOID_API Grid alternating_grid(const Shape& shape, int slots, int cores_into);

/// The load that a communication pattern along one axis of a grid puts on the network. Routes are
/// shortest and go axis by axis; traffic within a node does not count.
struct PatternLoad {
  /// The maximum number of links that one message crosses.
  int dilation = 0;
  /// The number of messages on the busiest link. A message on a link with 1/k of the rate of the
  /// fastest axis counts k times. A pattern that leaves the nodes costs at least 1.
  double worst_link = 0;
  bool operator==(const PatternLoad&) const = default;
};

/// A message from one node to another.
struct Passage {
  NodeIndex from = 0;
  NodeIndex to = 0;
};

/// The load of all these messages at once on equal links. Messages that go half-way round a ring
/// take its two directions in turns.
CUBOID_API PatternLoad passages_load(const Shape& shape, std::span<const Passage> passages);

/// The load of a step of Cannon's algorithm: every rank sends one message to the next rank in its
/// line, and the last rank to the first. `bytes_per_second` has one rate per axis of the shape, or
/// is empty; 0 means the fastest rate. shift_load() and broadcast_load() throw
/// Error(invalid_argument) for another number of rates.
CUBOID_API PatternLoad shift_load(const Grid& grid, int axis,
                                  std::span<const double> bytes_per_second = {});

/// The load of a step of SUMMA with multicasts: in all lines at once, the first rank broadcasts one
/// message to the other ranks, over the tree that the routes to them form. A line loads each of its
/// links once.
CUBOID_API PatternLoad broadcast_load(const Grid& grid, int axis,
                                      std::span<const double> bytes_per_second = {});

/// The load that a grid axis puts on the network.
struct AxisLoad {
  PatternLoad shift;
  PatternLoad broadcast;
  bool contiguous = false;  ///< Grid::contiguous()
  bool operator==(const AxisLoad&) const = default;
};

/// A grid and its cost.
struct Mapping {
  Grid grid;
  std::vector<AxisLoad> load;  ///< the load of each axis of the grid
  /// The messages on the busiest links, summed over the axes. Each axis is weighted by the amount
  /// that an algorithm moves along it.
  double cost = 0;
};

/// The communication pattern that a mapping is optimised for.
enum class Pattern {
  broadcast,  ///< SUMMA, 2.5D: broadcasts and reductions along lines
  shift,      ///< Cannon: shifts along lines
};

/// The cheapest mapping of a grid of given extents onto a machine. Axis a of the grid has the
/// weight weights[a]. If `weights` is empty, its weight is its extent, since each rank of a 2D
/// algorithm receives that many blocks along it.
///
/// Candidates are all assignments of the axes of the shape and of the cores to the axes of the
/// grid, in the order and direction (plain or snake) that suits shifts best. Cores may be split
/// over several grid axes. An axis of the shape is split only if the grid requires it. Of mappings
/// with equal costs for `pattern`, the one with the lower cost for the other pattern wins, then the
/// one with the smaller dilation.
///
/// Throws Error(invalid_argument) if the placement is not full or the product of the extents is not
/// the number of ranks.
CUBOID_API Mapping best_mapping(const Placement& placement, std::span<const int> extents,
                                Pattern pattern = Pattern::broadcast,
                                std::span<const double> weights = {});

/// The cheapest two-dimensional grid of all ranks, of any extents. The cost is rows * broadcast
/// load along axis 0 + columns * broadcast load along axis 1: the time of SUMMA's broadcasts in
/// messages of n^2 / P words. Of equally cheap grids it returns the squarest, with no more rows
/// than columns. Throws Error(invalid_argument) if the placement is not full.
CUBOID_API Mapping choose_grid_2d(const Placement& placement);

/// The cheapest rows x columns x layers grid of a 2.5D algorithm. Along the first two axes its cost
/// is that of choose_grid_2d(); the third adds 3 * layers * load, as two matrices are replicated
/// and one is reduced (Solomonik and Demmel 2011, "Communication-optimal parallel 2.5D matrix
/// multiplication and LU factorization algorithms"). Throws Error(invalid_argument) if the
/// placement is not full or `layers` does not divide the number of ranks.
CUBOID_API Mapping choose_grid_25d(const Placement& placement, int layers);

/// The renumbering of ranks that realises a grid: rank r of the placement becomes rank reorder()[r]
/// of the grid without moving. This is what MPI_Cart_create with reorder promises. Throws
/// Error(invalid_argument) if the placement is not full or the grid is of another machine.
CUBOID_API std::vector<int> reorder(const Placement& placement, const Grid& grid);

}  // namespace cuboid
