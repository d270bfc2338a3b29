#include "collectives/types/block_list.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace block_list_test {

using Numbers = std::vector<std::size_t>;

TEST(BlockList, EqualBlocksFollowOneAnother) {
  const BlockList blocks = BlockList::equal(3, 5);
  EXPECT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks.total(), 15U);
  EXPECT_EQ(blocks.counts(), (Numbers{5, 5, 5}));
  EXPECT_EQ(blocks.counts(8), (Numbers{40, 40, 40}));
  EXPECT_EQ(blocks.displacement(2), 10U);
  EXPECT_TRUE(blocks.is_even());
  EXPECT_FALSE(blocks.empty());
}

TEST(BlockList, AnEqualListIsEqualHoweverItIsMade) {
  EXPECT_EQ(BlockList({5, 5, 5}, {0, 5, 10}), BlockList::equal(3, 5));
  EXPECT_EQ(BlockList::adjacent({5, 5, 5}), BlockList::equal(3, 5));
  EXPECT_NE(BlockList({5, 5, 5}, {0, 5, 11}), BlockList::equal(3, 5));
  EXPECT_NE(BlockList({5, 5, 5}, {1, 6, 11}), BlockList::equal(3, 5));
  EXPECT_NE(BlockList::adjacent({5, 5, 4}), BlockList::equal(3, 5));
  EXPECT_NE(BlockList::equal(4, 5), BlockList::equal(3, 5));
  EXPECT_EQ(BlockList({7}, {0}), BlockList::equal(1, 7));
}

TEST(BlockList, OtherBlocksAreListed) {
  const BlockList adjacent = BlockList::adjacent({1, 0, 7});
  EXPECT_EQ(adjacent.displacement(2), 1U);
  EXPECT_EQ(adjacent.total(), 8U);
  EXPECT_EQ(adjacent.count(1), 0U);
  EXPECT_FALSE(adjacent.is_even());
  const BlockList apart({2, 3}, {0, 10});
  EXPECT_TRUE(apart.is_even());
  EXPECT_EQ(apart.total(), 5U);
  EXPECT_FALSE(BlockList({2, 3}, {1, 11}).is_even());
}

TEST(BlockList, WithoutBlocks) {
  EXPECT_TRUE(BlockList().empty());
  EXPECT_EQ(BlockList(), BlockList({}, {}));
  EXPECT_EQ(BlockList().total(), 0U);
  EXPECT_TRUE(BlockList().is_even());
  EXPECT_TRUE(BlockList().counts().empty());
}

}  // namespace block_list_test
}  // namespace cuboid::detail
