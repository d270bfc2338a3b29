#pragma once

#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"
#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// Where one rank keeps the blocks of conditions, by block: what it has before and what it wants
/// after.
struct Placing {
  std::vector<std::optional<Address>> before;
  std::vector<std::optional<Address>> after;
};

/// How a tree's slice is cut and how much of it may be under way.
struct Pipelining {
  std::size_t segment_bytes = 65536;  ///< a multiple of the element's size
  int segments_in_flight = 8;         ///< per edge, at most Tag::max_segments_in_flight
  /// How many segments go together where they are handed on within a node (Tree::local_fanout):
  /// memory is fast, but every message wakes a rank.
  int segments_per_bundle = 1;
};

/// What `rank` does to play its part in a forest. Segments of all trees are interleaved, so that
/// the trees share the rank fairly; a segment is forwarded as soon as it is there. Memory:
/// `segments_in_flight` segments of scratch per child where contributions are combined, nothing
/// where data goes straight to and from the caller's buffers.
Schedule compile(const Forest& forest, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining);

/// What `rank` does to play its part in rounds. Blocks that lie one behind the other in the message
/// travel in one message of at most `segment_bytes`, or one block, so that what has arrived can be
/// passed on, and all of an exchange where the rounds are packed; packed rounds take as
/// much scratch memory as they send and receive.
Schedule compile(const Rounds& rounds, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining);

}  // namespace cuboid::detail
