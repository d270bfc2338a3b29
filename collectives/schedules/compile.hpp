#pragma once

#include "collectives/schedules/board_plan.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/parts.hpp"
#include "collectives/schedules/rounds.hpp"
#include "collectives/schedules/schedule.hpp"
#include "collectives/schedules/segmentation.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// The places of the blocks of conditions on one rank, before and after.
struct Placing {
  std::vector<std::optional<Address>> before;
  std::vector<std::optional<Address>> after;
};

/// Compiles a rank's part in a forest. Segments of all trees are interleaved, so the trees
/// share the rank fairly; a segment is forwarded as soon as it arrives. Scratch memory:
/// `segments_in_flight` segments per child if contributions are combined; none if data goes
/// directly from and to the caller's buffers.
Schedule compile(const ForestPart& part, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining);

/// Compiles the part of `rank` in rounds, of which only that part need be there. Adjacent blocks
/// travel in one message of at most `segment_bytes`, or one block, so that arrived data can be
/// forwarded; with packed rounds all blocks of an exchange travel in one message. Packed rounds
/// need as much scratch memory as they send and receive, and for the message. Where blocks lie
/// evenly one step copies or combines many.
Schedule compile(const Rounds& rounds, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining);

/// Compiles the part of `rank` in a plan for the group's board, of which only the blocks that the
/// rank has or needs must be there. Segments of Pipelining::segment_bytes of every block, at most
/// longest_segment(plan). A rank writes as far ahead as its rows reach. No scratch memory.
Schedule compile(const BoardPlan& plan, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining);

}  // namespace cuboid::detail
