#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/grid_shape.hpp>

#include <optional>

namespace cuboid::detail {

/// A process grid of the ranks of a communicator, with the communicators of its rows and columns.
class ProcessGrid {
 public:
  /// Collective over `communicator`, including ranks outside the grid. Throws
  /// Error(invalid_argument) if the grid needs more ranks than the communicator has.
  ProcessGrid(const Communicator& communicator, const GridShape& shape);

  const Communicator& communicator() const { return communicator_; }
  const GridShape& shape() const { return shape_; }

  /// This rank's position; nullopt outside the grid.
  std::optional<GridPosition> position() const { return position_; }

  /// The ranks of this rank's process row, numbered by grid column; invalid outside the grid.
  const Communicator& row() const { return row_; }
  /// The ranks of this rank's process column, numbered by grid row; invalid outside the grid.
  const Communicator& column() const { return column_; }

 private:
  Communicator communicator_;
  GridShape shape_;
  std::optional<GridPosition> position_;
  Communicator row_;
  Communicator column_;
};

}  // namespace cuboid::detail
