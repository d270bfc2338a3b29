#pragma once

#include "collectives/schedules/conditions.hpp"

#include <cstddef>

namespace cuboid::detail {

/// A collective through the group's board, memory that all its ranks share. Each rank writes once
/// what others need, row after row, and reads what it needs. A row holds a segment of every block
/// that its rank writes. Each rank that needs a result combines the contributions, in rank order,
/// so all ranks get the same bits. A plan without blocks is a barrier by dissemination.
struct BoardPlan {
  int ranks = 1;
  /// True: a row has a lane for each rank, with the block that this rank needs. False: a row has
  /// one lane, which several ranks read.
  bool lane_per_rank = false;
  /// True: the message has a block for each rank. A rank combines all contributions to its block
  /// and writes the result to another row, which the ranks that need the result read.
  bool by_parts = false;
};

/// The longest segment of a block that fits a row, in bytes; not always whole elements.
std::size_t longest_segment(const BoardPlan& plan);

}  // namespace cuboid::detail
