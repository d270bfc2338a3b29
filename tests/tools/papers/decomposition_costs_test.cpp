#include "tools/papers/decomposition_costs.hpp"

#include "models/multiplication/lower_bounds.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace decomposition_costs_test {

constexpr ProductExtents cubic{1024, 1024, 1024};

TEST(Decompositions, TableThreeByHand) {
  EXPECT_DOUBLE_EQ(flat_decomposition(cubic, 64).words, 1024 * 2048 / 8.0 + 16384);
  EXPECT_DOUBLE_EQ(flat_decomposition(cubic, 64).messages, 2 * 1024 * 3.0);
  // p·S = 4·2n²: four layers.
  const double memory = 4 * 2.0 * 1024 * 1024 / 64;
  EXPECT_DOUBLE_EQ(layers_that_fit(cubic, 64, memory), 4);
  EXPECT_DOUBLE_EQ(layered_decomposition(cubic, 64, memory).words,
                   2.0 * 1024 * 1024 / std::sqrt(64 * 4) + 4 * 1024 * 1024 / 64.0);
  EXPECT_DOUBLE_EQ(recursive_decomposition(cubic, 64, 1e9).words, 3 * 65536.0);
  EXPECT_DOUBLE_EQ(recursive_decomposition(cubic, 64, 49152).words,
                   2 * std::sqrt(3.0 / 49152) * 16777216 + 65536);
}

TEST(Decompositions, OneLayerIsTheFlatOne) {
  const double memory = 2.0 * 1024 * 1024 / 64;  // c = 1
  EXPECT_DOUBLE_EQ(layered_decomposition(cubic, 64, memory).words,
                   flat_decomposition(cubic, 64).words);
}

TEST(Decompositions, NoneGoesBelowTheBound) {
  for (const double ranks : {64.0, 512.0, 4096.0}) {
    for (double copies = 1.5; copies < std::cbrt(ranks); copies *= 1.3) {
      const double memory = copies * 2 * 1024 * 1024 / ranks;
      const double bound = parallel_bound(cubic, ranks, memory) * (1 - 1e-12);
      EXPECT_GE(flat_decomposition(cubic, ranks).words, 3 * std::pow(cubic.work() / ranks, 2. / 3));
      EXPECT_GE(recursive_decomposition(cubic, ranks, memory).words, bound);
      EXPECT_GE(optimal_decomposition(cubic, ranks, memory).words, bound);
    }
  }
}

TEST(Decompositions, DomainsHoldAnEvenShareOfTheWork) {
  for (const double memory : {1e3, 1e4, 1e9}) {
    const WorkDomain domain = optimal_work_domain(cubic, 48, memory);
    EXPECT_NEAR(domain.work(), cubic.work() / 48, 1e-6 * cubic.work());
    EXPECT_NEAR(domain.faces(), parallel_bound(cubic, 48, memory), 1e-6 * domain.faces());
    EXPECT_LE(domain.rows * domain.columns, memory * (1 + 1e-12));
  }
}

TEST(Decompositions, RoundsFillWhatCLeavesOfTheMemory) {
  EXPECT_EQ(rounds_of({4, 4, 8}, 32), 4);  // 64 elements of A and B through 16 words
  EXPECT_EQ(rounds_of({4, 4, 8}, 1000), 1);
  EXPECT_EQ(rounds_of({4, 4, 8}, 16), 8);  // no room: one outer product a round
}

TEST(Decompositions, RecursionHalvesTheLongest) {
  const WorkDomain domain = recursive_domain({16, 16, 256}, 32);
  EXPECT_EQ(domain.inner, 16);
  EXPECT_EQ(domain.rows * domain.columns, 128);
  EXPECT_EQ(recursive_domain(cubic, 1).work(), cubic.work());
}

// Kwasniewski et al. 2019, eq 26: the best tile of all, up to what rounding down costs.
TEST(SequentialTile, IsTheBestThatFits) {
  for (const double memory : {4.0, 10.0, 57.0, 100.0, 1000.0, 4096.0, 65537.0}) {
    const SequentialTile tile = sequential_tile(memory);
    const auto reuse = [](double a, double b) { return a * b / (a + b); };
    EXPECT_LE(tile.rows * tile.columns + tile.rows + 1, memory);
    double best = 0;
    for (double a = 1; 2 * a + 1 <= memory; ++a)
      best = std::max(best, reuse(a, std::floor((memory - 1 - a) / a)));
    const double rounded = reuse(tile.rows + 1, tile.columns + 1);
    EXPECT_LE(reuse(tile.rows, tile.columns), best) << memory;
    EXPECT_LE(best, rounded) << memory;
  }
  const double root = std::sqrt(std::pow(999.0, 3));
  EXPECT_EQ(sequential_tile(1000).rows, std::floor((root - 1000 + 1) / 998));
  EXPECT_EQ(sequential_tile(1000).columns,
            std::floor(-(2000 + root - 1e6 - 1) / (root - 1000 + 1)));
  EXPECT_NEAR(sequential_tile(2.5e6).words_over_bound(2.5e6), 1.0004, 5e-5);
}

}  // namespace decomposition_costs_test
}  // namespace cuboid::detail
