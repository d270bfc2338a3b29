#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

// These functions make the rounds of all ranks, or with `only` the part of one rank.

/// A barrier by dissemination. In round t every rank tells the rank 2^t above it (modulo p) that it
/// has arrived, and so have all ranks that it has heard of. ⌈log2 p⌉ rounds for any p.
Rounds dissemination_barrier(int ranks, std::optional<int> only = {});

/// An all-gather by dissemination (Bruck et al. 1997). Every rank sends what it has, its own block
/// and those of ranks above it, to a rank below it. ⌈log2 n⌉ rounds along each axis of extent n;
/// each block is received once. Along several axes the longest distances of all axes come first,
/// while messages are short; the blocks of a message lie apart and are packed. Round a single ring
/// the shortest distances come first; the blocks of a message lie together, except where they pass
/// the last rank, and are not packed.
Rounds dissemination_allgather(const Shape& shape, std::optional<int> only = {});

/// The message of a round. It goes down along the axes and carries the blocks of a box of
/// positions, which begins at its sender and extends upwards.
struct BoxMessage {
  std::vector<int> distances;  ///< by axis, positions downwards
  std::vector<int> counts;     ///< by axis, the number of positions of the box
  std::vector<int> strides;    ///< by axis, from one position of the box to the next
};

/// The message of a rank in each round; every rank has the same.
std::vector<BoxMessage> dissemination_messages(const Shape& shape);

}  // namespace cuboid::detail
