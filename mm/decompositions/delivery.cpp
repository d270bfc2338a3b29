#include "mm/decompositions/delivery.hpp"

namespace cuboid::detail {

Delivery choose_delivery(const Layout& tall_layout, const PanelTarget& target,
                         std::int64_t panel_width) {
  // Broadcasts per panel; with more, their latency outweighs a redistribution.
  constexpr std::int64_t most_pieces = 8;
  const bool fits = tall_layout.grid() == target.grid && tall_layout.rows() == target.vectors;
  if (!fits) return Delivery::redistribute;
  if (target.grid.columns() == 1) return Delivery::in_place;
  const std::int64_t shortest_panel = std::min(panel_width, tall_layout.n());
  const std::int64_t block = tall_layout.columns().block();
  const bool one_block_each = block * target.grid.columns() >= tall_layout.n();
  return one_block_each || block >= shortest_panel / most_pieces ? Delivery::broadcast
                                                                 : Delivery::redistribute;
}

}  // namespace cuboid::detail
