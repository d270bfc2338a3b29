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

/// Where one rank keeps the blocks of conditions; nullopt: nowhere.
struct Placing {
  std::vector<std::optional<Address>> before;  ///< by block, before the collective
  std::vector<std::optional<Address>> after;   ///< by block, where it must end
};

/// Compiles a rank's part in a forest. The segments of all trees take turns, so the trees share the
/// rank fairly. A segment is forwarded as soon as it arrives. If contributions are combined,
/// scratch memory holds `segments_in_flight` segments per child; otherwise data goes directly from
/// and to the caller's buffers.
Schedule compile(const ForestPart& part, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining);

/// Compiles the part of `rank` in rounds; the exchanges of other ranks may be left out. Adjacent
/// blocks travel in messages of at most `segment_bytes`, or of one block, so that a part that has
/// arrived can be forwarded. In packed rounds all blocks of an exchange travel in one message.
/// Packed rounds need scratch memory for all that they send and receive, and for the message
/// itself. Where blocks lie evenly, one step copies or combines many of them.
Schedule compile(const Rounds& rounds, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining);

/// Compiles the part of `rank` in a plan for the group's board. The conditions need only have the
/// blocks that the rank has or needs. Segments of a block are as long as Pipelining::segment_bytes,
/// at most longest_segment(plan). A rank writes as many rows ahead as it has. No scratch memory.
Schedule compile(const BoardPlan& plan, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining);

}  // namespace cuboid::detail
