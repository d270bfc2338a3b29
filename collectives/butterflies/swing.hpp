#pragma once

#include "collectives/butterflies/butterfly.hpp"
#include "collectives/schedules/rounds.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// What butterflies do with a message.
struct ButterflyTask {
  int scatter_steps = 0;  ///< so many steps of each scatter
  bool lockstep = false;  ///< see Rounds; if pieces of messages lie apart, they go so anyway
};

/// All-reduce of a message that is cut into colour_pieces(): the first `scatter_steps` steps of
/// each butterfly are a reduce-scatter in messages that shrink, the others, of radix 2, exchange
/// all that is left; then the first steps backwards are an all-gather. What a fold handed over
/// comes back when its turn comes backwards. Pieces are numbered so that every message is of
/// consecutive ones.
/// @param rank_of_node  by node of the shape.
/// @param only          make only what the rank of this node takes part in.
Rounds butterfly_rounds(const Shape& shape, std::span<const Butterfly> butterflies,
                        const ButterflyTask& task,
                        const std::function<int(NodeIndex)>& rank_of_node,
                        std::optional<int> only = {});

}  // namespace cuboid::detail
