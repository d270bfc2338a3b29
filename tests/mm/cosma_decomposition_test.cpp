#include <cuboid/base/error.hpp>
#include <cuboid/mm/carma_decomposition.hpp>
#include <cuboid/mm/cosma_decomposition.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace cuboid {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The least words that a brick of a·b·c = work multiplications on `ranks` ranks can receive: what
/// theorem 2 says it must hold, less its share of the matrices.
double words_to_receive(const ProductSize& size, int ranks) {
  const auto [m, n, k] = size;
  const auto of = [](std::int64_t one, std::int64_t other) {
    return static_cast<double>(one) * static_cast<double>(other);
  };
  const double work = of(m, n) * static_cast<double>(k) / ranks;
  return 3 * std::pow(work, 2.0 / 3) - (of(m, n) + of(m, k) + of(n, k)) / ranks;
}

TEST(Cosma, domain_is_cubic_while_memory_allows_and_then_grows_along_k) {
  const ProductSize size{1000, 1000, 1000};
  const LocalDomain cube = optimal_domain(size, 8, unlimited);
  EXPECT_NEAR(cube.a, 500, 1e-6);
  EXPECT_NEAR(cube.b, 500, 1e-6);
  const LocalDomain flat = optimal_domain(size, 8, 40'000);
  EXPECT_DOUBLE_EQ(flat.a, 200);
  EXPECT_DOUBLE_EQ(flat.b, 3125);
  EXPECT_DOUBLE_EQ(flat.a * flat.a * flat.b, 125e6);
  EXPECT_EQ(fewest_rounds(cube, 500 * 500 + 2 * 500 * 500), 1);
  EXPECT_EQ(fewest_rounds(cube, 500 * 500 + 500 * 500), 2);
  EXPECT_EQ(fewest_rounds(cube, 500 * 500 + 2 * 500 * 3), 167);
  EXPECT_EQ(fewest_rounds(flat, 40'000), 3125);
}

TEST(Cosma, one_rank_too_many_costs_nothing) {
  for (const auto& [good, odd] : {std::pair(64, 65), std::pair(9216, 9217), std::pair(512, 521)}) {
    const ProductSize size{16384, 16384, 16384};
    const BrickGrid expected = decompose_for_cosma(size, good).grid;
    const BrickGrid grid = decompose_for_cosma(size, odd).grid;
    EXPECT_LE(grid.busiest().words_received, 1.01 * expected.busiest().words_received) << odd;
    EXPECT_GE(grid.ranks(), static_cast<int>(odd * 0.97));
    EXPECT_LE(grid.ranks(), odd);
  }
  EXPECT_EQ(decompose_for_cosma({512, 512, 512}, 65).grid.ranks(), 64);
}

TEST(Cosma, cubes_of_ranks_reach_the_lower_bound) {
  const ProductSize shapes[] = {{4096, 4096, 4096}, {512, 512, 32768}, {32768, 512, 512}};
  for (const ProductSize& size : shapes) {
    for (const int ranks : {8, 64, 512}) {
      const double words = decompose_for_cosma(size, ranks).grid.busiest().words_received;
      if (size.m == size.k || ranks == 64 || ranks == 512) {
        EXPECT_LE(words, 1.05 * words_to_receive(size, ranks)) << ranks << " " << size.k;
      }
      EXPECT_GE(words, 0.999 * words_to_receive(size, ranks)) << ranks << " " << size.k;
    }
  }
}

TEST(Cosma, never_receives_more_than_any_other_grid_of_all_ranks) {
  const ProductSize shapes[] = {
      {1000, 1000, 1000}, {100, 100, 20000}, {20000, 100, 100}, {3000, 3000, 64}};
  for (const ProductSize& size : shapes) {
    for (int ranks = 1; ranks <= 72; ++ranks) {
      const auto cosma = decompose_for_cosma(size, ranks);
      const auto carma = decompose_for_carma(size, ranks);
      EXPECT_LE(cosma.grid.busiest().words_received, 1.02 * carma.busiest().words_received)
          << ranks;
      const double even = static_cast<double>(size.m * size.n * size.k) / ranks;
      EXPECT_LE(cosma.grid.busiest().work, 1.1 * even) << ranks;
    }
  }
}

TEST(Cosma, memory_limits_grid_and_rounds) {
  const ProductSize size{4096, 4096, 4096};
  const std::int64_t share = 3 * 4096 * 4096 / 64;
  const auto unlimited_words = decompose_for_cosma(size, 64);
  double earlier = unlimited_words.grid.busiest().words_received;
  for (const double factor : {3.0, 2.0, 1.5, 1.2, 1.02}) {
    const auto limit = static_cast<std::int64_t>(factor * static_cast<double>(share));
    const auto limited = decompose_for_cosma(size, 64, {.memory = limit});
    EXPECT_LE(limited.memory, static_cast<double>(limit)) << factor;
    EXPECT_EQ(limited.memory, brick_memory(limited.grid, limited.rounds));
    const double words = limited.grid.busiest().words_received;
    EXPECT_GE(words, earlier) << factor;
    // Theorem 2 with this memory, less what is owned.
    const double bound = 2.0 * 4096 * 4096 * 4096 / (64 * std::sqrt(static_cast<double>(limit)));
    EXPECT_LE(words, 2.5 * bound) << factor;
    earlier = words;
  }
}

TEST(Cosma, refuses_what_cannot_fit_and_says_what_would) {
  const ProductSize size{1000, 1000, 1000};
  try {
    decompose_for_cosma(size, 4, {.memory = 1000});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    const std::string text = error.what();
    const auto at = text.find("allow ");
    ASSERT_NE(at, std::string::npos) << text;
    const std::int64_t enough = std::stoll(text.substr(at + 6));
    EXPECT_NO_THROW(decompose_for_cosma(size, 4, {.memory = enough + 1}));
    EXPECT_THROW(decompose_for_cosma(size, 4, {.memory = enough - 1}), Error);
  }
  EXPECT_THROW(decompose_for_cosma(size, 0), Error);
  EXPECT_THROW(decompose_for_cosma(size, 4, {.rounds = 0}), Error);
  EXPECT_THROW(decompose_for_cosma(size, 4, {.grid = std::array{2, 3, 1}}), Error);
}

TEST(Cosma, takes_the_grid_and_rounds_it_is_given) {
  const auto given =
      decompose_for_cosma({100, 100, 100}, 12, {.grid = std::array{2, 1, 3}, .rounds = 7});
  EXPECT_EQ(given.grid.parts(WorkAxis::rows), 2);
  EXPECT_EQ(given.grid.parts(WorkAxis::inner), 3);
  EXPECT_EQ(given.rounds, 7);
}

}  // namespace
}  // namespace cuboid
