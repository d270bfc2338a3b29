#pragma once

#include <cuboid/topology/congestion.hpp>
#include <cuboid/topology/grid.hpp>
#include <cuboid/topology/placement.hpp>

#include <span>
#include <string>
#include <vector>

namespace cuboid {

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
Mapping best_mapping(const Placement& placement, std::span<const int> extents,
                     Pattern pattern = Pattern::broadcast, std::span<const double> weights = {});

/// The two-dimensional grid of all ranks, of whichever extents, that costs least: rows * broadcast
/// load along axis 0
/// + columns * that along axis 1, which is the time of SUMMA's broadcasts in messages of n^2 / P
/// words. Of equal ones the squarest, with no more rows than columns. Throws
/// Error(invalid_argument) where the placement is not full.
Mapping choose_grid_2d(const Placement& placement);

/// The grid rows x columns x layers of a 2.5D algorithm that costs least, in messages of n^2 / P
/// words: rows * load + columns * load along the first two axes, as above, and 3 * layers * load
/// along the third (two matrices replicated, one reduced; Solomonik, Demmel, "Communication-optimal
/// parallel 2.5D matrix multiplication and LU factorization algorithms", 2011). Throws
/// Error(invalid_argument) where the placement is not full or `layers` does not divide the number
/// of ranks.
Mapping choose_grid_25d(const Placement& placement, int layers);

/// The new rank of each old rank that realises a grid: rank r of the placement becomes rank
/// reorder()[r] of the grid, where it runs. This is what MPI_Cart_create with reorder promises.
/// Throws Error(invalid_argument) where the placement is not full or the grid is of another
/// machine.
std::vector<int> reorder(const Placement& placement, const Grid& grid);

}  // namespace cuboid
