#pragma once

#include <cuboid/communicator.hpp>

#include "mm/decompositions/layered_grid.hpp"

#include <optional>

namespace cuboid::detail {

/// The ranks of a layered grid, and the lines and planes along which LU communicates. All
/// communicators are invalid on ranks outside the grid.
struct LuGrid {
  LayeredGrid shape;
  std::optional<LayeredPosition> here;
  Communicator row;           ///< equal row and layer, by grid column
  Communicator column;        ///< equal column and layer, by grid row
  Communicator line;          ///< equal row and column, by layer
  Communicator row_plane;     ///< equal row, layer by layer
  Communicator column_plane;  ///< equal column, layer by layer

  /// Collective over `communicator`, also for ranks outside the grid. Throws
  /// Error(invalid_argument) if the grid has more ranks than there are.
  LuGrid(const Communicator& communicator, const LayeredGrid& grid);
};

}  // namespace cuboid::detail
