#pragma once

#include <cuboid/grid.hpp>
#include <cuboid/grid_shape.hpp>

#include "collectives/selection/simulated_seconds.hpp"
#include "mm/decompositions/layered_grid.hpp"
#include "mm/decompositions/rotation.hpp"
#include "topology/mapping/mapper.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// The rates along the lines of one axis of a process grid, with all lines active, as multiples of
/// the rate of one link.
struct LineRate {
  /// When every rank sends its block to all ranks of its line, as in an all-gather.
  double spread = 1;
  double shift = 1;  ///< when every rank sends its block to the next rank
  /// True if the line is a ring, or runs along rings: then shifts use one direction of its links.
  bool ring = false;
  /// The nodes of a line, if the line fills a box of nodes with one rank each.
  std::optional<LineOfNodes> nodes = std::nullopt;
};

/// Makes what maps grids onto a placement; nullopt if there is no placement, or it is not full.
std::optional<Mapper> mapper_of(const std::optional<Placement>& placement);

/// A process grid mapped onto the machine, and the rates of its rows and columns. If both rates are
/// known, rows and columns use different links.
struct MappedGrid {
  GridShape shape;
  std::optional<LineRate> rows = std::nullopt;
  std::optional<LineRate> columns = std::nullopt;

  /// Maps a grid so that its lines are lines of the machine, if all ranks of the machine are on the
  /// grid. Otherwise, and without a machine (nullptr), ranks are numbered in order and rates are
  /// unknown.
  MappedGrid(int rows, int columns, Mapper* machine);
  /// A grid with its own numbering.
  explicit MappedGrid(const GridShape& numbered) : shape(numbered) {}
};

/// A grid with layers, mapped onto the machine, and the rates of the lines through the layers.
struct LaidLayers {
  LayeredGrid shape;
  std::optional<LineRate> rows = std::nullopt;
  std::optional<LineRate> columns = std::nullopt;
  std::optional<LineRate> layers = std::nullopt;
  /// Digits of a layer's rows and columns on the machine's axes.
  std::vector<RotationDigit> digits;

  LaidLayers(int rows, int columns, int layers, Mapper* machine);
};

}  // namespace cuboid::detail
