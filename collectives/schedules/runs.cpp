#include "collectives/schedules/runs.hpp"

namespace cuboid::detail {

std::vector<BlockRun> runs_of(std::span<const int> blocks, const Conditions& conditions,
                              std::size_t longest_run) {
  std::vector<BlockRun> runs;
  for (const int number : blocks) {
    const auto block = static_cast<std::size_t>(number);
    const std::size_t bytes = conditions.blocks[block].slice.bytes;
    if (!runs.empty() && runs.back().end_block == block &&
        runs.back().bytes + bytes <= longest_run) {
      runs.back().end_block = block + 1;
      runs.back().bytes += bytes;
    } else {
      runs.push_back({block, block + 1, bytes});
    }
  }
  return runs;
}

}  // namespace cuboid::detail
