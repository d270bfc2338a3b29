// Patterns of pieces are what a list of them would be.

#include "collectives/schedules/pieces.hpp"

#include "collectives/schedules/block_set.hpp"

#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace pieces_test {

// Two colours of a torus of 5 × 3 × 2 nodes: blocks of 7 bytes in halves, and of 4 bytes whole.
Pieces of_a_torus(std::vector<int> block_at = {}) {
  Pieces pieces(std::move(block_at));
  pieces.add({{0, {0, 4}}, {0, {4, 3}}}, {{5, 6}, {3, 2}, {2, 1}});
  pieces.add({{0, {7, 4}}}, {{2, 1}, {5, 6}, {3, 2}});
  pieces.add({{3, {11, 5}}, {8, {11, 1}}, {8, {12, 2}}});
  return pieces;
}

std::vector<Piece> listed(const Pieces& pieces) {
  std::vector<Piece> all;
  for (std::size_t number = 0; number < pieces.size(); ++number) all.push_back(pieces[number]);
  return all;
}

TEST(Pieces, FollowOneAnotherInTheMessage) {
  const Pieces pieces = of_a_torus();
  ASSERT_EQ(pieces.size(), 93U);
  std::size_t offset = 0;
  const std::vector<Piece> all = listed(pieces);
  for (std::size_t number = 0; number < all.size(); ++number) {
    EXPECT_EQ(pieces.offset(number), offset);
    offset += all[number].slice.bytes;
  }
  EXPECT_EQ(pieces.offset(all.size()), offset);
  EXPECT_EQ(pieces.bytes(), offset);
  // The first axis of the first colour, then its second.
  EXPECT_EQ(all[2].block, 6U);
  EXPECT_EQ(all[10].block, 2U);
  EXPECT_EQ(all[61].block, 1U);
  EXPECT_EQ(pieces.equal_bytes(), std::nullopt);
}

TEST(Pieces, OfAnyPartAreVisitedInTurn) {
  std::vector<int> reversed;
  for (int block = 29; block >= 0; --block) reversed.push_back(block);
  for (const Pieces& pieces : {of_a_torus(), of_a_torus(reversed)}) {
    const std::vector<Piece> all = listed(pieces);
    for (std::size_t first = 0; first <= all.size(); ++first) {
      for (std::size_t end = first; end <= all.size(); ++end) {
        std::size_t next = first;
        EXPECT_TRUE(pieces.visit(first, end, [&](const Pieces::Stretch& stretch) {
          EXPECT_EQ(stretch.first, next);
          EXPECT_EQ(stretch.offset, pieces.offset(next));
          for (std::size_t time = 0; time < stretch.times; ++time) {
            std::size_t offset = stretch.slice.offset;
            for (std::size_t i = 0; i < stretch.count / stretch.times; ++i, ++next) {
              EXPECT_EQ(all[next].block, stretch.block + time * stretch.stride);
              EXPECT_EQ(all[next].slice.offset, offset);
              offset += all[next].slice.bytes;
            }
            EXPECT_EQ(offset, stretch.slice.end());
          }
          return true;
        }));
        EXPECT_EQ(next, end);
      }
    }
  }
}

TEST(Pieces, OfALineAreVisitedAtOnce) {
  std::size_t visits = 0;
  of_a_torus().visit(0, 60, [&](const Pieces::Stretch& stretch) {
    EXPECT_EQ(stretch.times, 5U);
    ++visits;
    return true;
  });
  EXPECT_EQ(visits, 6U);
  EXPECT_FALSE(of_a_torus().visit(0, 60, [](const Pieces::Stretch&) { return false; }));
}

TEST(BlockSet, HoldsAnyNumbersInTheirOrder) {
  std::mt19937 random(5);
  for (int turn = 0; turn < 300; ++turn) {
    std::vector<int> numbers;
    while (numbers.size() < 40) {
      int number = static_cast<int>(random() % 50);
      const int stride = 1 + static_cast<int>(random() % 3);
      for (std::size_t i = 0; i < random() % 6; ++i, number += stride) numbers.push_back(number);
    }
    const BlockSet set{std::span<const int>(numbers)};
    EXPECT_EQ(set.size(), numbers.size());
    EXPECT_TRUE(std::ranges::equal(set, numbers));
    for (const BlockSet::Progression& progression : set.progressions())
      EXPECT_GT(progression.stride, 0);
  }
}

TEST(BlockSet, HoldsALineInOneProgression) {
  BlockSet lines;
  for (int line = 0; line < 4; ++line) {
    for (int i = 0; i < 8; ++i) lines.push_back(100 * line + 3 * i);
  }
  EXPECT_EQ(lines.progressions().size(), 4U);
  EXPECT_EQ(BlockSet::consecutive(3, 4), (BlockSet{3, 4, 5, 6}));
  EXPECT_TRUE(BlockSet::consecutive(3, 0).empty());
}

// Progressions that go on are one.
TEST(BlockSet, TakesWholeProgressions) {
  std::mt19937 random(6);
  for (int turn = 0; turn < 300; ++turn) {
    BlockSet whole, one_by_one;
    int first = 0;
    while (one_by_one.size() < 40) {
      const BlockSet::Progression progression{first, 1 + static_cast<int>(random() % 5),
                                              1 + static_cast<int>(random() % 2)};
      whole.push_back(progression);
      for (int i = 0; i < progression.count; ++i) one_by_one.push_back(progression.at(i));
      first =
          random() % 2 == 0 ? progression.at(progression.count) : static_cast<int>(random() % 30);
    }
    EXPECT_EQ(whole, one_by_one);
  }
  BlockSet plane;
  for (int line = 0; line < 4; ++line) plane.push_back({8 * line, 8, 1});
  EXPECT_EQ(plane.progressions().size(), 1U);
}

}  // namespace pieces_test
}  // namespace cuboid::detail
