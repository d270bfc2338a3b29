#pragma once

#include <cuboid/communicator.hpp>

#include "mm/decompositions/layered_grid.hpp"

#include <optional>

namespace cuboid::detail {

/// A rank's place on a layered grid, and the ranks beside it.
struct LayerRanks {
  LayeredPosition here;
  Communicator layer;  ///< the ranks of this layer, row by row
  Communicator line;   ///< the ranks at this place in all layers, by layer
};

/// The place and communicators of this rank; nullopt outside the grid. Collective over
/// `communicator`.
std::optional<LayerRanks> layer_ranks(const Communicator& communicator, const LayeredGrid& grid);

}  // namespace cuboid::detail
