#pragma once

#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>

#include <cstdint>

namespace cuboid::detail {

/// How an operand's panels are delivered to the ranks that multiply them.
enum class Delivery {
  in_place,   ///< every rank has its panels already: the line is one rank
  broadcast,  ///< the owner broadcasts along the line
  /// The layout does not fit: each panel is redistributed to one rank of the line, which broadcasts
  /// it.
  redistribute,
};

/// The destination of panels: vectors distributed over the rows of a tall grid (see
/// mm/drivers/summa/tall_operand.hpp); each panel goes to all ranks of a row, the line.
struct PanelTarget {
  BlockCyclic<Row> vectors;
  GridShape grid;  ///< the grid of the tall operand
};

/// The delivery that an operand needs. Operands with short inner blocks are redistributed, too, if
/// a panel would arrive in more than a few pieces, unless each rank has only one block. Pure: the
/// same on every rank, also outside the grid.
Delivery choose_delivery(const Layout& tall_layout, const PanelTarget& target,
                         std::int64_t panel_width);

}  // namespace cuboid::detail
