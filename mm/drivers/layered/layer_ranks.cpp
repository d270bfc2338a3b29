#include "mm/drivers/layered/layer_ranks.hpp"

#include "mm/matrix/no_part.hpp"

namespace cuboid::detail {

std::optional<LayerRanks> layer_ranks(const Communicator& communicator, const LayeredGrid& grid) {
  const auto here = grid.position(communicator.rank());
  const int place = here ? here->row * grid.columns() + here->column : 0;
  Communicator layer = communicator.split(here ? here->layer : no_part, place);
  Communicator line = communicator.split(here ? place : no_part, here ? here->layer : 0);
  if (!here) return std::nullopt;
  return LayerRanks{*here, layer, line};
}

}  // namespace cuboid::detail
