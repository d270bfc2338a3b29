#include "models/messages/node_memory.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace node_memory_test {

constexpr NodeMemory memory{.message = {.alpha = 1, .beta = 0.5},
                            .ranks_per_core = 1,
                            .overhead = 0.25,
                            .context_switch = 2};

NodeMemory crowded(double ranks_per_core) {
  NodeMemory shared = memory;
  shared.ranks_per_core = ranks_per_core;
  return shared;
}

TEST(NodeMemory, NothingToDoTakesNoTime) {
  EXPECT_EQ(node_seconds(memory, 1, {}), 0);
  EXPECT_EQ(node_seconds(crowded(4), 8, {}), 0);
}

TEST(NodeMemory, AHopWaitsForEveryOtherRankOfTheCore) {
  EXPECT_DOUBLE_EQ(node_seconds(memory, 4, {.hops = 3}), 3);
  EXPECT_DOUBLE_EQ(node_seconds(crowded(4), 4, {.hops = 3}), 3 * (1 + 2 * 3));
}

TEST(NodeMemory, TheLongestPathOrAllTheWork) {
  const NodeWork work{.path_messages = 2, .path_bytes = 10, .messages = 8, .bytes = 40};
  EXPECT_DOUBLE_EQ(node_seconds(memory, 8, work), 0.25 * 2 + 0.5 * 10);  // a core each
  EXPECT_DOUBLE_EQ(node_seconds(crowded(4), 8, work), (0.25 * 8 + 0.5 * 40) / 2);
}

TEST(NodeMemory, CoresThatAllCopyShareTheMemory) {
  NodeMemory shared = memory;
  shared.crowded_beta = 0.75;
  NodeWork work{.path_bytes = 10, .bytes = 40};
  EXPECT_DOUBLE_EQ(node_seconds(shared, 4, work), 0.75 * 10);
  work.bytes = 20;  // half of them have nothing to copy
  EXPECT_DOUBLE_EQ(node_seconds(shared, 4, work), 0.5 * 10);
}

TEST(NodeMemory, WhatWasJustWrittenIsFetchedFromAnotherCache) {
  NodeMemory caches = memory;
  caches.fresh_beta = 2;
  const NodeWork path{.path_bytes = 10, .path_fresh = 4};
  EXPECT_DOUBLE_EQ(node_seconds(caches, 4, path), 0.5 * 6 + 2 * 4);
  const NodeWork all{.bytes = 80, .fresh = 20};
  EXPECT_DOUBLE_EQ(node_seconds(caches, 4, all), (0.5 * 60 + 2 * 20) / 4);
  caches.fresh_beta = 0.1;  // no quicker than anything else
  EXPECT_DOUBLE_EQ(node_seconds(caches, 4, path), 0.5 * 10);
  caches.crowded_beta = 0.75;
  EXPECT_DOUBLE_EQ(node_seconds(caches, 4, all), 0.75 * 80 / 4);
}

TEST(NodeMemory, MessagesCostMoreWhereAllCopyOrTheyAreFresh) {
  NodeMemory caches = memory;
  caches.crowded_overhead = 0.5;
  caches.fresh_overhead = 2;
  const NodeWork path{.path_messages = 10, .path_bytes = 100, .path_fresh = 40};
  EXPECT_DOUBLE_EQ(node_seconds(caches, 4, path), 0.25 * 6 + 2 * 4 + 0.5 * 100);
  const NodeWork all{.messages = 40, .bytes = 400, .fresh = 100};
  EXPECT_DOUBLE_EQ(node_seconds(caches, 4, all), (0.5 * 30 + 2 * 10 + 0.5 * 400) / 4);
  const NodeWork signals{.path_messages = 10, .messages = 40};
  EXPECT_DOUBLE_EQ(node_seconds(caches, 4, signals), 0.5 * 40 / 4);
  caches.crowded_overhead = caches.fresh_overhead = 0.125;  // less than alone: noise
  EXPECT_DOUBLE_EQ(node_seconds(caches, 4, path), 0.25 * 10 + 0.5 * 100);
}

TEST(NodeMemory, ARanksOwnCopiesComeOnTop) {
  NodeMemory copying = memory;
  copying.copy_beta = 0.125;
  const NodeWork work{.path_bytes = 10, .path_copied = 8, .bytes = 10, .copied = 8};
  EXPECT_DOUBLE_EQ(node_seconds(copying, 4, work), 0.5 * 10 + 0.125 * 8);
  const NodeWork all{.bytes = 40, .copied = 80};
  EXPECT_DOUBLE_EQ(node_seconds(copying, 4, all), (0.5 * 40 + 0.125 * 80) / 4);
}

TEST(NodeMemory, CombiningComesOnTop) {
  NodeMemory combining = memory;
  combining.combine_beta = 0.125;
  const NodeWork work{.path_bytes = 10, .path_combined = 8, .bytes = 10, .combined = 8};
  EXPECT_DOUBLE_EQ(node_seconds(combining, 4, work), 0.5 * 10 + 0.125 * 8);
}

TEST(NodeMemory, WaitingHidesBehindOthersWork) {
  NodeWork work{.path_hops = 5, .bytes = 100};
  EXPECT_DOUBLE_EQ(node_seconds(memory, 4, work), 0.5 * 100 / 4);
  work.bytes = 8;
  EXPECT_DOUBLE_EQ(node_seconds(memory, 4, work), 5);
}

}  // namespace node_memory_test
}  // namespace cuboid::detail
