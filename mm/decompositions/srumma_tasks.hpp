#pragma once

#include <cuboid/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// One of the products of blocks that a rank of SRUMMA adds up (001 §3): inner indices that one
/// rank of the process row holds of op(A), and one of the process column of op(B).
struct SrummaTask {
  GlobalRange<Inner> inner;
  int a_owner = 0;  ///< grid column
  int b_owner = 0;  ///< grid row
  bool operator==(const SrummaTask&) const = default;
};

/// The most inner indices of a task, and of how many tasks blocks are fetched or multiplied at
/// once.
struct SrummaWidths {
  std::int64_t widest_task = 1;  ///< >= 1
  std::size_t at_once = 2;       ///< >= 2
};

/// Within a node, where blocks are multiplied where they lie: the local gemm runs at full speed.
inline constexpr SrummaWidths srumma_within_node{512, 2};
/// Over a network: what is fetched before anything can hide it is small, and comes from several
/// owners at once, over several links.
inline constexpr SrummaWidths srumma_over_network{128, 8};

/// Cuts the inner dimension wherever an owner changes, and longer parts evenly into ones of at most
/// `widest` >= 1. Ascending; the same on every rank.
std::vector<SrummaTask> cut_srumma_tasks(const BlockCyclic<Inner>& a, const BlockCyclic<Inner>& b,
                                         std::int64_t widest);

/// What a rank can read where it lies, by owner: op(A)'s blocks along its process row, op(B)'s down
/// its process column. As long as the grid is wide resp. high.
struct DirectBlocks {
  std::vector<bool> a;
  std::vector<bool> b;
};

/// The order in which the rank at (row, column) does its tasks: first those that need no message,
/// then those that need one, then those that need two. Among equals one of each owner, by turns, as
/// several are fetched at once; and each rank begins at another place, a diagonal shift, so that no
/// two of a row or column ask the same owner at once.
std::vector<std::size_t> order_srumma_tasks(const std::vector<SrummaTask>& tasks, int row,
                                            int column, const DirectBlocks& direct);

}  // namespace cuboid::detail
