#pragma once

#include <cuboid/grid_shape.hpp>
#include <cuboid/placement.hpp>

#include "mm/decompositions/layered_grid.hpp"

#include <optional>

namespace cuboid::detail {

/// How fast data come along the lines of one axis of a process grid, all its lines at once, as
/// multiples of what one link of the network carries.
struct LineRate {
  double spread = 1;  ///< every rank's block to all of its line, as when all owners broadcast
  double shift = 1;   ///< every rank's block to the next
};

/// A process grid on the machine. `rows` and `columns` are of process rows and columns; where both
/// are known, they use different links.
struct MappedGrid {
  GridShape shape;
  std::optional<LineRate> rows = std::nullopt;
  std::optional<LineRate> columns = std::nullopt;

  /// Laid so that its lines are the machine's where that can be: all ranks must be on the grid and
  /// the placement full; else numbered as it comes, its rates unknown.
  MappedGrid(int rows, int columns, const std::optional<Placement>& placement);
  /// As it is numbered.
  explicit MappedGrid(const GridShape& numbered) : shape(numbered) {}
};

/// The same with layers, and the rate of the lines through them.
struct LaidLayers {
  LayeredGrid shape;
  std::optional<LineRate> rows = std::nullopt;
  std::optional<LineRate> columns = std::nullopt;
  std::optional<LineRate> layers = std::nullopt;

  LaidLayers(int rows, int columns, int layers, const std::optional<Placement>& placement);
};

}  // namespace cuboid::detail
