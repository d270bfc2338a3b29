#include "mm/decompositions/cosma_decomposition.hpp"

#include <cuboid/error.hpp>

#include "mm/decompositions/carma_decomposition.hpp"
#include "models/multiplication/lower_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cuboid::detail {
namespace cosma_decomposition_test {

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

struct Shape {
  const char* name;
  ProductSize size;
};

constexpr Shape the_four_shapes[] = {{"square", {4096, 4096, 4096}},
                                     {"largeK", {512, 512, 65536}},
                                     {"largeM", {65536, 512, 512}},
                                     {"flat", {8192, 8192, 256}}};

/// A grid, and the tiles in which its bricks fit.
struct TiledGrid {
  BrickGrid grid;
  BrickSteps tiles = {};
};

/// Every way to cut the work into rows × columns × layers of bricks that leaves no more ranks idle
/// than COSMA may.
std::vector<TiledGrid> every_grid(const ProductSize& size, int ranks) {
  std::vector<TiledGrid> grids;
  for (int rows = 1; rows <= ranks; ++rows) {
    for (int columns = 1; rows * columns <= ranks; ++columns) {
      for (int layers = 1; rows * columns * layers <= ranks; ++layers) {
        if (rows * columns * layers < ranks * (1 - default_idle_share)) continue;
        grids.push_back({BrickGrid(
            size,
            {{WorkAxis::rows, rows}, {WorkAxis::columns, columns}, {WorkAxis::inner, layers}})});
      }
    }
  }
  return grids;
}

/// The least words that the busiest rank receives on any of these grids whose bricks are not larger
/// than idle ranks excuse, by the number of ranks that are not idle.
std::map<int, double> fewest_words(const std::vector<TiledGrid>& grids, int ranks) {
  double smallest_brick = unlimited;
  for (const TiledGrid& one : grids) {
    smallest_brick = std::min(smallest_brick, one.grid.busiest().work);
  }
  std::map<int, double> fewest;
  for (const auto& [grid, tiles] : grids) {
    const auto& [m, n, k] = grid.size();
    const double even = static_cast<double>(m * n * k) / ranks;
    const BrickCost busiest = grid.busiest(tiles);
    if (busiest.work > std::max(smallest_brick, even / (1 - default_idle_share))) continue;
    double& words = fewest.try_emplace(grid.ranks(), unlimited).first->second;
    words = std::min(words, busiest.words_received);
  }
  return fewest;
}

/// That no grid of as many ranks receives less, and none of others by more than its idle ranks
/// cost.
void expect_best(const CosmaDecomposition& decomposition, const std::map<int, double>& fewest) {
  const BrickGrid& plan = decomposition.grid;
  const double words = plan.busiest(decomposition.steps).words_received;
  ASSERT_TRUE(fewest.contains(plan.ranks()));
  for (const auto& [used, least] : fewest) {
    if (used == plan.ranks()) {
      EXPECT_EQ(words, least);
    } else {
      EXPECT_LE(words / plan.ranks(), least / used) << used;
    }
  }
}

/// What theorem 2 leaves to be received.
double bound(const ProductSize& size, int ranks, std::optional<double> memory = std::nullopt) {
  const auto number = [](std::int64_t extent) { return static_cast<double>(extent); };
  return least_received({number(size.m), number(size.n), number(size.k)}, ranks, memory);
}

// So that where the plan is above the bound, it is because no grid reaches it.
TEST(Cosma, no_grid_at_all_receives_less) {
  for (const auto& [name, size] : the_four_shapes) {
    for (int ranks = 1; ranks <= 65; ++ranks) {
      SCOPED_TRACE(fmt::format("{} on {}", name, ranks));
      expect_best(decompose_for_cosma(size, ranks), fewest_words(every_grid(size, ranks), ranks));
    }
  }
}

/// Whether the bricks of a grid fit in these tiles: a column of each share a round, or all at once
/// without a second buffer.
bool fits(const BrickGrid& grid, BrickSteps tiles, double memory) {
  const auto layers = grid.parts(WorkAxis::inner), shares = grid.parts(WorkAxis::columns);
  const double whole = brick_memory(grid, tiles);
  tiles.rounds =
      static_cast<int>(std::max<std::int64_t>((grid.size().k + layers - 1) / layers / shares, 2));
  return std::min(whole, brick_memory(grid, tiles)) <= memory;
}

/// Each grid whole if that fits, else in all tiles in which it does but those with more columns
/// than need be, which receive more.
std::vector<TiledGrid> with_tiles_that_fit(const std::vector<TiledGrid>& grids, double memory) {
  std::vector<TiledGrid> fitting;
  for (const auto& [grid, whole] : grids) {
    if (fits(grid, whole, memory)) {
      fitting.push_back({grid});
      continue;
    }
    const Brick brick = grid.brick({0, 0, 0});
    for (int rows = 1; rows <= std::min<std::int64_t>(16, brick.rows.extent()); ++rows) {
      for (int columns = 1; columns <= std::min<std::int64_t>(16, brick.columns.extent());
           ++columns) {
        if (!fits(grid, {1, rows, columns}, memory)) continue;
        fitting.push_back({grid, {1, rows, columns}});
        break;
      }
    }
  }
  return fitting;
}

TEST(Cosma, no_grid_that_fits_into_memory_receives_less) {
  for (const auto& [name, size] : the_four_shapes) {
    for (int ranks = 1; ranks <= 65; ++ranks) {
      const auto grids = every_grid(size, ranks);
      const auto share = (size.m * size.n + size.m * size.k + size.n * size.k) / ranks;
      for (const double factor : {3.0, 2.0, 1.5, 1.2}) {
        if (ranks > 20 && factor < 2) continue;  // many tiles to try
        SCOPED_TRACE(fmt::format("{} on {} with {}", name, ranks, factor));
        const auto limit = static_cast<std::int64_t>(factor * static_cast<double>(share));
        const auto fitting = with_tiles_that_fit(grids, static_cast<double>(limit));
        if (fitting.empty()) {
          EXPECT_THROW(decompose_for_cosma(size, ranks, {.memory = limit}), Error);
          continue;
        }
        const CosmaDecomposition plan = decompose_for_cosma(size, ranks, {.memory = limit});
        EXPECT_LE(plan.memory, static_cast<double>(limit));
        expect_best(plan, fewest_words(fitting, ranks));
      }
    }
  }
}

// A cube of work is cut well where the ranks' number has three factors near its cube root, a flat
// one where it has two near its square root, a long one always.
TEST(Cosma, is_within_five_percent_of_the_bound_wherever_a_grid_is) {
  const std::vector<int> square{8, 12, 18, 27, 36, 37, 45, 48, 49, 60, 61, 64, 65},
      flat{4,  6,  9,  12, 15, 16, 20, 24, 25, 28, 30, 35, 36, 37, 40,
           41, 42, 43, 48, 49, 50, 54, 55, 56, 57, 60, 61, 63, 64, 65};
  std::vector<int> all;
  for (int ranks = 4; ranks <= 65; ++ranks) all.push_back(ranks);
  const std::vector<int>* const expected[] = {&square, &all, &all, &flat};
  for (std::size_t shape = 0; shape < 4; ++shape) {
    std::vector<int> within;
    for (int ranks = 4; ranks <= 65; ++ranks) {
      const ProductSize& size = the_four_shapes[shape].size;
      const double words = decompose_for_cosma(size, ranks).grid.busiest().words_received;
      if (words <= 1.05 * bound(size, ranks)) within.push_back(ranks);
    }
    EXPECT_EQ(within, *expected[shape]) << the_four_shapes[shape].name;
  }
}

TEST(Cosma, no_grid_at_all_receives_less_where_words_alone_count) {
  for (const auto& [name, size] : the_four_shapes) {
    for (int ranks = 1; ranks <= 65; ++ranks) {
      const auto plan = decompose_for_cosma(size, ranks, {.aim = CosmaAim::fewest_words});
      double least = unlimited;
      for (const TiledGrid& one : every_grid(size, ranks))
        least = std::min(least, one.grid.busiest().words_received);
      EXPECT_EQ(plan.grid.busiest(plan.steps).words_received, least) << name << " on " << ranks;
    }
  }
}

// Bricks of few rows and columns, whose parts and shares are uneven.
TEST(Cosma, no_grid_of_small_bricks_receives_less_where_words_alone_count) {
  for (const ProductSize& size : {ProductSize{97, 131, 68}, {66, 65, 4099}, {4099, 67, 65}}) {
    for (const int ranks : {2, 3, 8, 12, 33, 60, 64, 65}) {
      const auto plan = decompose_for_cosma(size, ranks, {.aim = CosmaAim::fewest_words});
      double least = unlimited;
      for (const TiledGrid& one : every_grid(size, ranks))
        least = std::min(least, one.grid.busiest().words_received);
      EXPECT_LE(plan.grid.busiest(plan.steps).words_received, least) << size.k << " on " << ranks;
    }
  }
}

// 24 elements on 18 layers: from 17 others two each would be 34, in steps of 3, 3 and 2 they are
// fewer.
TEST(Cosma, sums_small_faces_in_steps) {
  const auto plan = decompose_for_cosma({117, 83, 72}, 7812, {.grid = std::array{31, 14, 18}});
  EXPECT_EQ(plan.grid.splits().size(), 5U);
  const BrickGrid at_once(plan.grid.size(),
                          {{WorkAxis::rows, 31}, {WorkAxis::columns, 14}, {WorkAxis::inner, 18}});
  EXPECT_GT(at_once.busiest().words_received, 1.01 * plan.grid.busiest().words_received);
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
    EXPECT_EQ(limited.memory, brick_memory(limited.grid, limited.steps));
    const double words = limited.grid.busiest(limited.steps).words_received;
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
  EXPECT_EQ(given.steps.rounds, 7);
}

}  // namespace cosma_decomposition_test
}  // namespace cuboid::detail
