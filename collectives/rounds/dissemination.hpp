#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// All of these make the rounds of all ranks, or with `only` that rank's part of them.

/// Barrier by dissemination: in round t every rank tells the one 2^t above it (round the end) that
/// it and all it has heard from have arrived. ⌈log2 p⌉ rounds for any p.
Rounds dissemination_barrier(int ranks, std::optional<int> only = {});

/// All-gather by dissemination (Bruck): every rank passes what it has to the one so far below it,
/// its own block and those of ranks above it. ⌈log2 n⌉ rounds along each axis of extent n, (p −
/// 1)/p of the output received once. Along several axes the longest distances of all axes come
/// first, while messages are short; blocks of a message lie apart, and are packed. Round a ring the
/// shortest come first: blocks of a message lie together but for the end, and are not packed.
Rounds dissemination_allgather(const Shape& shape, std::optional<int> only = {});

/// The message of a round: it goes so far down along every axis, and has the blocks of so many
/// positions along every axis, a stride apart, from its sender's own upwards.
struct BoxMessage {
  std::vector<int> distances;
  std::vector<int> counts;
  std::vector<int> strides;
};

/// A rank's message in each round, the same for every rank.
std::vector<BoxMessage> dissemination_messages(const Shape& shape);

}  // namespace cuboid::detail
