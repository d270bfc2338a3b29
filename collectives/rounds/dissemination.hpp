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

/// All-gather by dissemination (Bruck) in the rounds of doubling_rounds(): every rank passes what
/// it has, its own block and those of the ranks above it, as many along every axis as messages have
/// gone, to the one so far below it. Σ ⌊log2 n⌋ + 1 rounds for up to three axes of any extents n,
/// (p − 1)/p of the output received once. Along several axes the blocks of a message lie apart, and
/// are packed; round a ring those of a message lie together but for the end, and are not.
Rounds dissemination_allgather(const Shape& shape, std::optional<int> only = {});

/// A message of these rounds: it goes so far down along every axis, and has the blocks of a box
/// that begins at its sender.
struct BoxMessage {
  std::vector<int> distances;
  std::vector<int> extents;
};

/// A rank's messages in each round, the same for every rank.
std::vector<std::vector<BoxMessage>> dissemination_messages(const Shape& shape);

}  // namespace cuboid::detail
