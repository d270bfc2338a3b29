#include "tools/papers/sequential_schedule.hpp"

#include "models/multiplication/lower_bounds.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace sequential_schedule_test {

constexpr ProductExtents cubic{64, 64, 64};

// Kwasniewski et al. 2019, §6.3: 4096 multiplications a rank, 128 words.
TEST(DecompositionCosts, WordsAreTradedForStepsByHand) {
  const CommunicationCost cost = traded_decomposition(cubic, 64, 128, 8);
  EXPECT_EQ(cost.words, 2 * 4096 / 8 + 64);
  EXPECT_EQ(cost.messages, 2 * 4096 / 8 / 64);
  EXPECT_EQ(cost.messages, rounds_of({8, 8, 64}, 128));
  // The fewest words with (mnk/p)^⅓ = 16 where memory has room for 16² of C.
  const double best = optimal_work_domain(cubic, 64, 300).rows;
  EXPECT_DOUBLE_EQ(best, 16);
  EXPECT_DOUBLE_EQ(traded_decomposition(cubic, 64, 300, best).words,
                   optimal_decomposition(cubic, 64, 300).words);
  for (const double a : {4.0, 8.0, 15.0, 17.0})
    EXPECT_GT(traded_decomposition(cubic, 64, 300, a).words,
              traded_decomposition(cubic, 64, 300, best).words);
  // Up to √(S/3) a larger face also takes fewer steps, then more.
  EXPECT_LT(traded_decomposition(cubic, 64, 300, 10).messages,
            traded_decomposition(cubic, 64, 300, 9).messages);
  EXPECT_GT(traded_decomposition(cubic, 64, 300, 17).messages,
            traded_decomposition(cubic, 64, 300, 16).messages);
}

/// C = A·B by the schedule in the red-blue pebble game with S red pebbles: what is multiplied must
/// have one. Returns the number of loads and stores.
std::int64_t play_pebbles(const ScheduledProduct& size, const SequentialTile& tile,
                          std::int64_t pebbles, std::vector<std::int64_t>& C) {
  std::int64_t moves = 0;
  for_each_outer_product(size, tile, [&](const OuterProduct& one) {
    // Red: the tile of C, the part of A's column, and one element of B's row at a time.
    EXPECT_LE(one.rows * one.columns + one.rows + 1, pebbles);
    moves += one.rows;
    for (std::int64_t j = one.first_column; j < one.first_column + one.columns; ++j) {
      ++moves;
      for (std::int64_t i = one.first_row; i < one.first_row + one.rows; ++i)
        C[static_cast<std::size_t>(i * size.n + j)] += (i + 2 * one.inner) * (one.inner - 3 * j);
    }
    if (one.inner + 1 == size.k) moves += one.rows * one.columns;
  });
  return moves;
}

TEST(SequentialSchedule, MultipliesWithinItsPebblesAndLoadsTheWordsOfEquations26To28) {
  for (std::int64_t pebbles = 4; pebbles <= 60; ++pebbles) {
    const SequentialTile tile = sequential_tile(static_cast<double>(pebbles));
    for (const ScheduledProduct& size : {ScheduledProduct{7, 5, 3}, {1, 9, 4}, {12, 12, 12}}) {
      std::vector<std::int64_t> C(static_cast<std::size_t>(size.m * size.n));
      const std::int64_t moves = play_pebbles(size, tile, pebbles, C);
      EXPECT_EQ(static_cast<double>(moves), words_of_schedule(size, tile));
      const ProductExtents extents{static_cast<double>(size.m), static_cast<double>(size.n),
                                   static_cast<double>(size.k)};
      EXPECT_GE(static_cast<double>(moves),
                sequential_bound(extents, static_cast<double>(pebbles)) - 1e-9);
      for (std::int64_t i = 0; i < size.m; ++i) {
        for (std::int64_t j = 0; j < size.n; ++j) {
          std::int64_t sum = 0;
          for (std::int64_t r = 0; r < size.k; ++r) sum += (i + 2 * r) * (r - 3 * j);
          ASSERT_EQ(C[static_cast<std::size_t>(i * size.n + j)], sum) << pebbles;
        }
      }
    }
  }
  // Tiles that divide the product: mnk(a + b)/(ab) + mn.
  const SequentialTile tile = sequential_tile(26);
  EXPECT_EQ(tile.rows, 4);
  EXPECT_EQ(tile.columns, 5);
  EXPECT_EQ(words_of_schedule({8, 10, 6}, tile), 8 * 10 * 6 * 9 / 20 + 80);
}

}  // namespace sequential_schedule_test
}  // namespace cuboid::detail
