#pragma once

#include <cuboid/grid.hpp>
#include <cuboid/grid_shape.hpp>

#include "collectives/selection/line_seconds.hpp"
#include "mm/decompositions/layered_grid.hpp"
#include "mm/decompositions/rotation.hpp"
#include "topology/mapping/mapper.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// The rates along the lines of one axis of a process grid, with all lines active, as multiples of
/// the rate of one link.
struct LineRate {
  double spread = 1;  ///< every rank's block to all of its line, as when all owners broadcast
  double shift = 1;   ///< every rank's block to the next
  /// A line's nodes, if it fills a box of nodes of one rank each.
  std::optional<LineOfNodes> nodes = std::nullopt;
};

/// Maps grids onto a placement; nullopt if there is none, or it is not full.
std::optional<Mapper> mapper_of(const std::optional<Placement>& placement);

/// A process grid mapped onto the machine, and the rates of its rows and columns; if both are
/// known, they use different links.
struct MappedGrid {
  GridShape shape;
  std::optional<LineRate> rows = std::nullopt;
  std::optional<LineRate> columns = std::nullopt;

  /// Laid so that its lines are the machine's where that can be: all ranks of a machine must be on
  /// the grid; else, and without a machine (nullptr), numbered as it comes, its rates unknown.
  MappedGrid(int rows, int columns, Mapper* machine);
  /// As it is numbered.
  explicit MappedGrid(const GridShape& numbered) : shape(numbered) {}
};

/// The same with layers, and the rates of the lines through them.
struct LaidLayers {
  LayeredGrid shape;
  std::optional<LineRate> rows = std::nullopt;
  std::optional<LineRate> columns = std::nullopt;
  std::optional<LineRate> layers = std::nullopt;
  std::vector<RotationDigit> digits;  ///< of a layer's rows and columns, as the machine has them

  LaidLayers(int rows, int columns, int layers, Mapper* machine);
};

}  // namespace cuboid::detail
