#pragma once

#include "collectives/schedules/conditions.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Consecutive blocks that lie one after the other in the message, and travel in one message.
struct BlockRun {
  std::size_t first_block = 0;
  std::size_t end_block = 0;
  std::size_t bytes = 0;
};

/// @param blocks       numbers of blocks of the conditions, ascending.
/// @param longest_run  bytes, at most, of more than one block.
std::vector<BlockRun> runs_of(std::span<const int> blocks, const Conditions& conditions,
                              std::size_t longest_run);

}  // namespace cuboid::detail
