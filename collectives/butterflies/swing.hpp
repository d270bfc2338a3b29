#pragma once

#include "collectives/butterflies/butterfly.hpp"
#include "collectives/schedules/rounds.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The parameters of an all-reduce by butterflies.
struct ButterflyTask {
  int scatter_steps = 0;  ///< the number of steps of each butterfly that scatter
  bool lockstep = false;  ///< see Rounds; true anyway if a message may consist of pieces that are
                          ///< not consecutive
};

/// An all-reduce of a message that is cut into colour_pieces(). The first `scatter_steps` steps of
/// each butterfly are a reduce-scatter, in messages that shrink. The other steps, of radix 2,
/// exchange all that is left. Then the first steps backwards are an all-gather. What a fold handed
/// over comes back when the fold's turn comes backwards. Pieces are numbered so that most messages
/// consist of consecutive pieces (see Butterfly::scatters_pieces()).
/// @param rank_of_node  the rank on each node of the shape.
/// @param only          make only what the rank of this node takes part in.
Rounds butterfly_rounds(const Shape& shape, std::span<const Butterfly> butterflies,
                        const ButterflyTask& task,
                        const std::function<int(NodeIndex)>& rank_of_node,
                        std::optional<int> only = {});

}  // namespace cuboid::detail
