#pragma once

#include <cuboid/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// A task of SRUMMA (Krishnan and Nieplocha 2004, §3): the product of one block of op(A) and one of
/// op(B), with inner indices that a single rank of the process row and a single rank of the process
/// column own.
struct SrummaTask {
  GlobalRange<Inner> inner;
  int a_owner = 0;  ///< grid column
  int b_owner = 0;  ///< grid row
  bool operator==(const SrummaTask&) const = default;
};

/// The maximum width of a task in inner indices, and the number of tasks in flight.
struct SrummaWidths {
  std::int64_t widest_task = 1;  ///< >= 1
  std::size_t at_once = 2;       ///< >= 2
};

/// Within a node, where blocks are multiplied in place: wide enough for the local gemm's full
/// speed.
inline constexpr SrummaWidths srumma_within_node{512, 2};
/// Over a network: the first blocks, whose fetch overlaps with nothing, are small and come from
/// several owners over several links at once.
inline constexpr SrummaWidths srumma_over_network{64, 8};

/// Cuts the inner dimension wherever an owner changes, and cuts longer parts evenly into parts of
/// at most `widest` >= 1. Ascending; the same on every rank.
std::vector<SrummaTask> cut_srumma_tasks(const BlockCyclic<Inner>& a, const BlockCyclic<Inner>& b,
                                         std::int64_t widest);

/// For each owner: true if this rank can read its blocks in place; blocks of op(A) along the
/// process row, blocks of op(B) along the process column.
struct DirectBlocks {
  std::vector<bool> a;
  std::vector<bool> b;
};

/// The order of the tasks of the rank at (row, column). Tasks that need no message come first. The
/// other tasks alternate between owners: several blocks are fetched at once, over all links of the
/// row and column. Tasks that need one message do not come before tasks that need two: otherwise a
/// whole row would begin with the blocks of one rank. Each rank begins at another owner (diagonal
/// shift), so no two ranks of a row or column ask the same owner at once.
std::vector<std::size_t> order_srumma_tasks(const std::vector<SrummaTask>& tasks, int row,
                                            int column, const DirectBlocks& direct);

}  // namespace cuboid::detail
