#pragma once

#include "collectives/schedules/conditions.hpp"

#include <cstddef>

namespace cuboid::detail {

/// A collective through memory that all its ranks share, the group's board: each rank writes what
/// others need once, row after row, and each reads what it needs. Contributions are combined in
/// rank order, by each rank that needs the result, so all get the same bits. A row holds a segment
/// of every block that its rank writes. A barrier, which has no blocks, is one by dissemination.
struct BoardPlan {
  int ranks = 1;
  /// A row has a lane for each rank, with the block that this rank needs; otherwise one, which
  /// whoever needs it reads.
  bool lane_per_rank = false;
  /// The message is in as many blocks as there are ranks: each rank combines its block of all
  /// contributions and writes it to a further row, which those that need the result read.
  bool by_parts = false;
};

/// The longest segment of a block that fits a row. Bytes; not always whole elements.
std::size_t longest_segment(const BoardPlan& plan);

}  // namespace cuboid::detail
