#pragma once

#include "base/partition_point_near.hpp"
#include "collectives/schedules/block_set.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/pieces.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Cuts a slice into consecutive slices of whole elements, in proportion to `shares`.
/// `element_bytes` divides the slice.
std::vector<Slice> cut(Slice whole, std::span<const double> shares, std::size_t element_bytes);

/// Cuts a slice into `parts` slices whose numbers of elements differ by at most one, longer slices
/// first.
std::vector<Slice> cut(Slice whole, std::size_t parts, std::size_t element_bytes);

/// Blocks from `first_block` to before `end_block`, which lie one after another and travel in one
/// message.
struct BlockRun {
  std::size_t first_block = 0;
  std::size_t end_block = 0;
  std::size_t bytes = 0;

  BlockSet blocks() const {
    return BlockSet::consecutive(static_cast<int>(first_block),
                                 static_cast<int>(end_block - first_block));
  }
};

/// Cuts a stretch of consecutive blocks into as few runs as possible, of about equal length, and
/// calls act(run) for each. A short last run would cost as much latency as the others. Block i
/// begins at offset(i), where block i − 1 ends.
/// @param longest_run  the most bytes of a run of several blocks.
template <class Offset, class Act>
void for_each_run(std::size_t first, std::size_t end, const Offset& offset, std::size_t longest_run,
                  const Act& act) {
  const std::size_t begin = offset(first);
  const std::size_t bytes = offset(end) - begin;
  std::size_t parts = 0;
  for (std::size_t block = first; block < end; ++parts)
    block = end_within(offset, block, end, longest_run);
  if (parts == 1) return act(BlockRun{first, end, bytes});
  // The stretch is cut into equal parts, one for each run that it needs. A block belongs to the
  // part that its middle lies in.
  const std::size_t all = 2 * bytes + 1;
  const auto twice_middle = [&](std::size_t block) {
    return offset(block) + offset(block + 1) - 2 * begin;
  };
  const std::size_t first_of_all = first;
  const double blocks_of_a_byte = static_cast<double>(end - first) / static_cast<double>(all);
  while (first < end) {
    const std::size_t part = twice_middle(first) * parts / all;
    const std::size_t part_end = ((part + 1) * all + parts - 1) / parts;
    const double blocks = blocks_of_a_byte * static_cast<double>(part_end);
    const auto likely = first_of_all + static_cast<std::size_t>(blocks + 0.5);
    const std::size_t next = partition_point_near(
        first + 1, end, likely, [&](std::size_t block) { return twice_middle(block) < part_end; });
    const std::size_t stop = end_within(offset, first, next, longest_run);
    act(BlockRun{first, stop, offset(stop) - offset(first)});
    first = stop;
  }
}

/// Cuts each stretch of consecutive blocks among `blocks` into runs in this way.
template <class Offset, class Act>
void for_each_run(const BlockSet& blocks, const Offset& offset, std::size_t longest_run,
                  const Act& act) {
  std::size_t first = 0;  // the current stretch
  std::size_t end = 0;
  const auto add = [&](std::size_t next, std::size_t count) {
    if (next != end) {
      if (first < end) for_each_run(first, end, offset, longest_run, act);
      first = next;
    }
    end = next + count;
  };
  for (const BlockSet::Progression& progression : blocks.progressions()) {
    const auto begin = static_cast<std::size_t>(progression.first);
    const auto count = static_cast<std::size_t>(progression.count);
    const auto stride = static_cast<std::size_t>(progression.stride);
    const std::size_t together = stride == 1 ? count : 1;
    for (std::size_t block = 0; block < count; block += together)
      add(begin + block * stride, together);
  }
  if (first < end) for_each_run(first, end, offset, longest_run, act);
}

/// Cuts blocks of a collective into runs in this way. The conditions say where each block begins.
template <class Act>
void for_each_run(const BlockSet& blocks, const Conditions& conditions, std::size_t longest_run,
                  const Act& act) {
  for_each_run(
      blocks, [&](std::size_t block) { return conditions.blocks.offset(block); }, longest_run, act);
}

/// Lists the runs into which blocks that are pieces are cut in this way.
std::vector<BlockRun> runs_of(const BlockSet& blocks, const Pieces& pieces,
                              std::size_t longest_run);

/// The bytes of these blocks together, wherever they lie.
std::size_t bytes_of(const BlockSet& blocks, const Conditions& conditions);

}  // namespace cuboid::detail
