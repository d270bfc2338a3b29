#pragma once

#include <cuboid/collectives/contract.hpp>
#include <cuboid/collectives/forest.hpp>
#include <cuboid/collectives/program.hpp>
#include <cuboid/collectives/rounds.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace cuboid {

/// Where one rank keeps the blocks of a contract, by block: what it has before and what it wants
/// after.
struct Placing {
  std::vector<std::optional<Address>> before;
  std::vector<std::optional<Address>> after;
};

/// How a tree's slice is cut and how much of it may be under way.
struct Pipelining {
  std::size_t segment_bytes = 65536;  ///< a multiple of the element's size
  int segments_in_flight = 8;         ///< per edge, at most Tag::max_segments_in_flight
  /// How many segments go together where they are handed on within a node (Tree::hand_on): memory
  /// is fast, but every message wakes a rank.
  int segments_per_bundle = 1;
};

/// What `rank` does to play its part in a forest. Segments of all trees are interleaved, so that
/// the trees share the rank fairly; a segment is forwarded as soon as it is there. Memory:
/// `segments_in_flight` segments of scratch per child where contributions are combined, nothing
/// where data goes straight to and from the caller's buffers.
Program compile(const Forest& forest, const Contract& contract, const Placing& placing, int rank,
                const Pipelining& pipelining);

/// What `rank` does to play its part in rounds. Blocks that lie one behind the other in the message
/// travel in one message of at most `segment_bytes`, or one block, so that what has arrived can be
/// passed on, and all of an exchange where the rounds are packed; packed rounds take as
/// much scratch memory as they send and receive.
Program compile(const Rounds& rounds, const Contract& contract, const Placing& placing, int rank,
                const Pipelining& pipelining);

}  // namespace cuboid
