#include <cuboid/error.hpp>
#include <cuboid/shape.hpp>

#include "mm/decompositions/cosma_decomposition.hpp"
#include "mm/drivers/cannon/cannon.hpp"
#include "mm/multiply/plan_request.hpp"
#include "mm/multiply/plan_text.hpp"
#include "mm/plan/mapped_grid.hpp"
#include "models/messages/broadcast_factors.hpp"
#include "models/messages/machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace planner_test {

using enum MultiplicationAlgorithm;

const Rates slow_network{.network = {.alpha = 1e-6, .beta = 1e-8},
                         .multiplications_per_second = 1e10};

PlanCandidate best_of(const PlanRequest& request, MultiplicationAlgorithm algorithm,
                      const Rates& rates = slow_network) {
  const MultiplicationAlgorithm only[] = {algorithm};
  return cheapest(plan_candidates(request, rates, only), request);
}

TEST(Algorithm, names_are_read_as_they_are_written) {
  for (const MultiplicationAlgorithm algorithm : multiplication_algorithms()) {
    EXPECT_EQ(parse_multiplication_algorithm(to_string(algorithm)), algorithm);
  }
  EXPECT_EQ(parse_multiplication_algorithm("auto"), automatic);
  EXPECT_EQ(multiplication_algorithms().size(), 10u);
  try {
    parse_multiplication_algorithm("summer");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "algorithm 'summer' (did you mean summa?): give one of auto, summa, hsumma, cannon, "
        "sd-cannon, srumma, 2.5d, carma, cosma, stationary-a, stationary-b");
  }
}

TEST(Planner, candidates_are_ordered_and_all_algorithms_take_part) {
  const PlanRequest request{.size = {4096, 4096, 4096}, .ranks = 64};
  const auto candidates = plan_candidates(request, slow_network);
  std::set<MultiplicationAlgorithm> seen;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    seen.insert(candidates[i].algorithm);
    if (i > 0) {
      EXPECT_GE(candidates[i].seconds, candidates[i - 1].seconds);
    }
    EXPECT_GE(candidates[i].seconds, candidates[i].compute_seconds * 0.999);
    EXPECT_LE(candidates[i].seconds,
              1.001 * (candidates[i].compute_seconds + candidates[i].communicate_seconds));
  }
  EXPECT_EQ(seen.size(), multiplication_algorithms().size());
}

TEST(Planner, words_are_those_of_the_papers) {
  const std::int64_t n = 4096;
  const PlanRequest request{.size = {n, n, n}, .ranks = 64};
  const double elements = static_cast<double>(n * n);
  // 2n²/√p of which a rank owns 2n²/p.
  EXPECT_EQ(best_of(request, summa).words, 2 * elements / 8 * 7 / 8);
  EXPECT_EQ(best_of(request, srumma).words, 2 * elements / 8 * 7 / 8);
  // Every block of A and B moves q times.
  PlanRequest on_square = request;
  on_square.grid = GridShape(8, 8);
  EXPECT_EQ(best_of(on_square, cannon).words, 2 * elements / 8);
  // A cube of ranks: 3n²/p^⅔, less 3n²/p.
  EXPECT_EQ(best_of(request, cosma).words, 3 * elements / 16 * 3 / 4);
  EXPECT_EQ(best_of(request, carma).words, 3 * elements / 16 * 3 / 4);
  EXPECT_NEAR(lower_bound_words(request), 3 * elements / 16 * 3 / 4, 1);
}

TEST(Planner, cannon_is_offered_every_grid) {
  PlanRequest request{.size = {4000, 4000, 4000}, .ranks = 60};
  const double soonest = best_of(request, cannon).seconds;
  for (const auto& [rows, columns] : {std::pair(6, 10), std::pair(10, 6), std::pair(5, 12)}) {
    request.grid = GridShape(rows, columns);
    EXPECT_LE(soonest, best_of(request, cannon).seconds) << rows << "x" << columns;
  }
}

TEST(Planner, cannon_leaves_nobody_out_where_the_largest_square_is_one_rank) {
  for (const int ranks : {2, 3}) {
    const PlanRequest request{.size = {400, 400, 400}, .ranks = ranks};
    for (const MultiplicationAlgorithm algorithm : {cannon, sd_cannon})
      EXPECT_EQ(best_of(request, algorithm).grid.size(), ranks) << to_string(algorithm);
  }
}

TEST(Planner, cannon_is_offered_the_largest_square) {
  Rates far_apart = slow_network;
  far_apart.network.alpha = 1e-2;  // then few steps are everything
  for (const auto& [ranks, side] : {std::pair(90, 9), std::pair(110, 10), std::pair(24, 4),
                                    std::pair(11, 3), std::pair(18, 4), std::pair(16, 4)}) {
    const PlanRequest request{.size = {400, 400, 400}, .ranks = ranks};
    EXPECT_EQ(best_of(request, cannon, far_apart).grid, GridShape(side, side)) << ranks;
  }
}

TEST(Planner, blocks_are_put_where_that_is_asked_for) {
  PlanRequest request{.size = {1000, 1000, 1000}, .ranks = 12};
  request.sides = Sidedness::one_sided;
  for (const MultiplicationAlgorithm algorithm : {sd_cannon, carma, cosma})
    EXPECT_EQ(best_of(request, algorithm).sides, Sidedness::one_sided) << to_string(algorithm);
}

TEST(Planner, lower_bound_knows_flat_and_long_products) {
  const auto bound = [](const ProductSize& size, int ranks) {
    return lower_bound_words({.size = size, .ranks = ranks});
  };
  EXPECT_DOUBLE_EQ(bound({512, 512, 65536}, 8), 512.0 * 512 * 7 / 8);
  EXPECT_NEAR(bound({8192, 8192, 256}, 8), 958'623, 1);
  EXPECT_NEAR(bound({4096, 4096, 4096}, 8), 3.0 * 4096 * 4096 / 8, 1);
  EXPECT_EQ(bound({4096, 4096, 4096}, 1), 0);
  EXPECT_EQ(bound({0, 4096, 4096}, 8), 0);
}

TEST(Planner, one_more_rank_never_makes_a_plan_much_dearer) {
  for (const int ranks : {64, 9216}) {
    PlanRequest request{.size = {16384, 16384, 16384}, .ranks = ranks};
    const PlanCandidate even = best_of(request, cosma);
    request.ranks = ranks + 1;
    const PlanCandidate odd = best_of(request, cosma);
    EXPECT_LE(odd.words, 1.01 * even.words);
    EXPECT_LE(odd.seconds, 1.03 * even.seconds);
  }
}

TEST(Planner, leaves_some_of_few_ranks_idle_where_that_pays) {
  const PlanRequest request{.size = {1000, 1000, 1000}, .ranks = 7};
  const std::array only = {cosma};
  const auto ranks_used = [&](const Rates& rates) {
    return plan_candidates(request, rates, only).front().bricks->ranks();
  };
  EXPECT_EQ(ranks_used({.network = {1e-6, 1e-7}, .multiplications_per_second = 1e11}), 6);
  EXPECT_EQ(ranks_used({.network = {1e-6, 1e-12}, .multiplications_per_second = 1e9}), 7);
}

TEST(Planner, plans_for_as_many_ranks_as_the_paper_had) {
  const ProductSize shapes[] = {{16384, 16384, 16384},
                                {17408, 17408, 3735552},
                                {3735552, 17408, 17408},
                                {131072, 131072, 512}};
  for (const ProductSize& size : shapes) {
    for (const int ranks : {2048, 4096, 9216, 16384, 18432}) {
      const PlanRequest request{.size = size, .ranks = ranks};
      const double words = best_of(request, cosma).words;
      EXPECT_GE(words, 0.98 * lower_bound_words(request)) << ranks << " " << size.k;
      EXPECT_LE(words, 1.2 * lower_bound_words(request)) << ranks << " " << size.k;
      for (const auto algorithm : {summa, cannon, two_and_a_half_d, carma}) {
        EXPECT_LE(words, 1.02 * best_of(request, algorithm).words)
            << to_string(algorithm) << " " << ranks << " " << size.k;
      }
    }
  }
}

constexpr std::int64_t bytes_per_word = sizeof(double);

TEST(Planner, keeps_within_memory_and_says_what_would_do) {
  PlanRequest request{.size = {4096, 4096, 4096}, .ranks = 64};
  const double unlimited = best_of(request, cosma).words;
  request.memory = 3 * 4096 * 4096 / 64 * 5 / 4;
  const PlanCandidate limited = cheapest(plan_candidates(request, slow_network), request);
  EXPECT_LE(limited.memory, static_cast<double>(*request.memory));
  EXPECT_GE(limited.words, unlimited);
  request.memory = 1000;
  try {
    cheapest(plan_candidates(request, slow_network), request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    const std::string text = error.what();
    request.memory = std::stoll(text.substr(text.find("allow ") + 6)) / bytes_per_word;
    EXPECT_NO_THROW(cheapest(plan_candidates(request, slow_network), request));
  }
}

// A matrix that is much larger than the others stays where a grid has it.
TEST(Planner, leaves_the_largest_matrix_where_it_is) {
  const GridShape grid(4, 4);
  const auto chosen = [&](const ProductSize& size) {
    const auto& [m, n, k] = size;
    const PlanRequest request{
        .size = size,
        .ranks = grid.size(),
        .stored = ProductLayouts{Layout::block_cyclic(m, k, 64, 64, grid), Op::none,
                                 Layout::block_cyclic(k, n, 64, 64, grid), Op::none,
                                 Layout::block_cyclic(m, n, 64, 64, grid)}};
    const Rates slow_network{{1e-6, 1e-9}, 1e10};
    return plan_candidates(request, slow_network).front().algorithm;
  };
  EXPECT_EQ(chosen({16384, 128, 16384}), stationary_a);
  EXPECT_EQ(chosen({128, 16384, 16384}), stationary_b);
  EXPECT_NE(chosen({16384, 16384, 128}), stationary_a);
  EXPECT_NE(chosen({16384, 16384, 128}), stationary_b);
}

TEST(Planner, says_the_least_memory_that_cosma_can_do_with) {
  PlanRequest request{.size = {1000, 900, 1100}, .ranks = 12, .memory = 1000};
  try {
    best_of(request, cosma);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    request.memory = std::stoll(text.substr(text.find("allow ") + 6)) / bytes_per_word;
    EXPECT_EQ(static_cast<double>(*request.memory), least_memory_for_cosma(request.size, 12));
    EXPECT_NO_THROW(best_of(request, cosma));
    request.memory = *request.memory - 1;
    EXPECT_THROW(best_of(request, cosma), Error);
  }
}

TEST(Planner, cuts_cosmas_bricks_into_tiles_where_no_rounds_fit_and_prices_what_they_cost) {
  // Two layers' whole contributions to C are twice the rank's shares.
  PlanRequest request{.size = {2048, 2048, 64}, .ranks = 2, .bricks = std::array{1, 1, 2}};
  const PlanCandidate whole = plan_candidates(request, slow_network, std::array{cosma}).front();
  request.memory = static_cast<std::int64_t>(0.6 * whole.memory);
  const PlanCandidate tiled = plan_candidates(request, slow_network, std::array{cosma}).front();
  EXPECT_TRUE(tiled.fits);
  EXPECT_EQ(whole.row_tiles * whole.column_tiles, 1);
  EXPECT_GT(tiled.row_tiles * tiled.column_tiles, 1);
  EXPECT_GT(tiled.messages, whole.messages);
  EXPECT_LE(tiled.memory, static_cast<double>(*request.memory));
  // On 2x2x2 tiles bring operands again.
  request = {.size = {512, 512, 512}, .ranks = 8, .bricks = std::array{2, 2, 2}};
  const PlanCandidate cube = plan_candidates(request, slow_network, std::array{cosma}).front();
  request.memory = static_cast<std::int64_t>(1.3 * 3 * 512 * 512 / 8);
  const PlanCandidate cut = plan_candidates(request, slow_network, std::array{cosma}).front();
  EXPECT_TRUE(cut.fits);
  EXPECT_GT(cut.row_tiles * cut.column_tiles, 1);
  EXPECT_GT(cut.words, cube.words);
  EXPECT_GT(cut.communicate_seconds, cube.communicate_seconds);
  EXPECT_NE(explain({cut}, request).find(" tiles"), std::string::npos);
}

TEST(Planner, explains_what_won_and_why) {
  const PlanRequest request{.size = {4096, 4096, 4096}, .ranks = 64};
  const auto candidates = plan_candidates(request, slow_network);
  const std::string text = explain(candidates, request);
  EXPECT_EQ(text.substr(0, 12), "  algorithm ");
  EXPECT_NE(text.find(std::string("* ") + std::string(to_string(candidates.front().algorithm))),
            std::string::npos);
  EXPECT_NE(text.find("faster than"), std::string::npos);
  const auto only = [&](MultiplicationAlgorithm algorithm) {
    return explain(plan_candidates(request, slow_network, std::array{algorithm}), request);
  };
  EXPECT_NE(only(summa).find("No other algorithm was requested"), std::string::npos);
}

TEST(Planner, of_equal_plans_the_leanest_and_plainest_comes_first) {
  // On so fast a network all that compute as much are as good.
  const Rates fast{.network = {.alpha = 1e-9, .beta = 1e-15}, .multiplications_per_second = 1e9};
  const PlanRequest request{.size = {4096, 4096, 4096}, .ranks = 16};
  const auto candidates = plan_candidates(request, fast);
  for (const PlanCandidate& other : candidates) {
    if (other.seconds > 1.02 * candidates.front().seconds) continue;
    EXPECT_FALSE(other.algorithm == summa && candidates.front().algorithm == hsumma);
    EXPECT_FALSE(other.algorithm == summa && candidates.front().algorithm == two_and_a_half_d &&
                 candidates.front().memory >= other.memory);
  }
}

TEST(Planner, on_one_node_takes_little_more_memory_than_the_matrices) {
  // Within a node messages are copies, and take as long whatever the algorithm.
  const Rates node{.network = {.alpha = 1e-6, .beta = 1e-10},
                   .multiplications_per_second = 2e10,
                   .memory_seconds_per_byte = 1e-10,
                   .one_node = true};
  for (const int ranks : {2, 4, 8}) {
    const PlanRequest request{.size = {4096, 4096, 4096}, .ranks = ranks};
    const PlanCandidate best = cheapest(plan_candidates(request, node), request);
    EXPECT_LE(best.memory, 1.25 * 3 * 4096 * 4096 / ranks) << describe_grid(best);
  }
}

TEST(Planner, on_one_node_blocks_are_multiplied_where_they_lie) {
  const Rates node{.network = {.alpha = 4e-6, .beta = 4e-10},
                   .multiplications_per_second = 5e9,
                   .memory_seconds_per_byte = 4e-10,
                   .one_node = true};
  PlanRequest request{.size = {1000, 1000, 1000}, .ranks = 8};
  const PlanCandidate square = cheapest(plan_candidates(request, node), request);
  EXPECT_EQ(square.algorithm, srumma);
  EXPECT_EQ(square.words, 0);
  EXPECT_EQ(square.memory, 3 * 1000 * 1000 / 8);
  // In memory of the ranks' own they must be copied.
  const GridShape grid(2, 4);
  const Layout lie = Layout::block(1000, 1000, grid);
  request.stored = ProductLayouts{lie, Op::none, lie, Op::none, lie};
  EXPECT_GT(best_of(request, srumma, node).seconds, square.seconds);
  EXPECT_EQ(best_of(request, srumma, node).memory, 5 * 1000 * 1000 / 8);
  // Narrow blocks of operands that are read by all of a line: better to cut the inner dimension.
  request = {.size = {512, 512, 65536}, .ranks = 8};
  EXPECT_TRUE(cheapest(plan_candidates(request, node), request).bricks);
}

TEST(Planner, prices_what_does_not_lie_as_an_algorithm_wants_it) {
  const GridShape grid(4, 4);
  const std::int64_t n = 1024, share = n * n / 16;
  const auto with = [&](const Layout& A, const Layout& B, const Layout& C) {
    PlanRequest request{.size = {n, n, n}, .ranks = 16, .grid = grid};
    request.stored = ProductLayouts{A, Op::none, B, Op::none, C};
    return request;
  };
  const Layout blocks = Layout::block(n, n, grid);
  const Layout cyclic = Layout::block_cyclic(n, n, 64, 64, grid);
  const PlanRequest in_place = with(blocks, blocks, blocks);
  const PlanRequest dealt_out = with(cyclic, cyclic, cyclic);
  const PlanRequest otherwise = with(cyclic, blocks, blocks);
  const auto more = [&](const PlanRequest& request, MultiplicationAlgorithm algorithm) {
    const PlanCandidate one = best_of(request, algorithm), plain = best_of(in_place, algorithm);
    return std::pair((one.words - plain.words) / share, (one.memory - plain.memory) / share);
  };
  // Blocks that rotate are the whole inner part of a rank: A and B move, one after the other, in
  // messages that are as large as they are; C stays.
  EXPECT_EQ(more(dealt_out, cannon), std::pair(2.0, 2.0 + 2));
  // Panels come from cyclic blocks as well as from others, but not with rows that are not C's. They
  // move one by one: half a share each.
  EXPECT_EQ(more(dealt_out, summa), std::pair(0.0, 0.0));
  EXPECT_EQ(more(otherwise, summa), std::pair(1.0, 2 * 0.5));
  EXPECT_EQ(more(otherwise, srumma), std::pair(1.0, 1.0 + 2));
  PlanRequest grouped = otherwise, plainly = in_place;
  grouped.groups.shape = plainly.groups.shape = GroupShape{2, 2};
  EXPECT_EQ((best_of(grouped, hsumma).memory - best_of(plainly, hsumma).memory) / share, 1 + 2);
  // Operands that lie staggered already are taken as they are.
  const auto staggered = [&](Side side) {
    return Layout(blocks.rows(), blocks.columns(), skewed_for_cannon(grid, side));
  };
  EXPECT_EQ(more(with(staggered(Side::left), staggered(Side::right), blocks), cannon),
            std::pair(0.0, 0.0));
}

TEST(Planner, leaves_cosma_room_for_what_must_be_brought_elsewhere) {
  const std::int64_t n = 8192;
  const Layout elsewhere = Layout::block_cyclic(n, n, 100, 100, GridShape(1, 4));
  PlanRequest request{.size = {n, n, n}, .ranks = 4, .bricks = std::array{2, 2, 1}};
  request.stored = ProductLayouts{elsewhere, Op::none, elsewhere, Op::none, elsewhere};
  request.memory = 110'000'000;
  const PlanCandidate found = best_of(request, cosma);
  EXPECT_LE(found.memory, 110e6);
  EXPECT_GT(found.rounds, 8);
}

TEST(Planner, a_given_grid_may_be_cs_own) {
  // Ranks that a torus numbers otherwise than a row-major grid.
  PlanRequest request{.size = {2048, 2048, 2048}, .ranks = 16, .grid = GridShape(2, 8)};
  request.placement = Placement::by_node(parse_shape("torus:4x4"), 1);
  const Layout lie = Layout::block(2048, 2048, *request.grid);
  request.stored = ProductLayouts{lie, Op::none, lie, Op::none, lie};
  const auto candidates =
      plan_candidates(request, slow_network, std::array{MultiplicationAlgorithm::summa});
  EXPECT_TRUE(std::ranges::any_of(
      candidates, [&](const PlanCandidate& one) { return one.grid == *request.grid; }));
}

TEST(Planner, layers_that_are_given_leave_out_whom_they_must) {
  for (const auto& [ranks, layers, used] :
       {std::tuple(8, 3, 6), std::tuple(8, 5, 5), std::tuple(12, 7, 7), std::tuple(12, 3, 12)}) {
    const PlanRequest request{.size = {512, 512, 512}, .ranks = ranks, .layers = layers};
    EXPECT_EQ(best_of(request, two_and_a_half_d).layered->size(), used) << ranks << " " << layers;
  }
}

TEST(Planner, one_rank_alone_multiplies_at_once) {
  for (const ProductSize& size : {ProductSize{4096, 4096, 4096}, ProductSize{1, 7, 100000}}) {
    const PlanRequest request{.size = size, .ranks = 1};
    const PlanCandidate best = cheapest(plan_candidates(request, slow_network), request);
    EXPECT_EQ(best.algorithm, summa);
    EXPECT_EQ(describe_grid(best), "1x1");
    EXPECT_EQ(best.memory,
              static_cast<double>(size.m * size.n + size.m * size.k + size.k * size.n));
  }
}

TEST(Planner, lays_grids_on_the_torus) {
  PlanRequest request{.size = {2048, 2048, 2048}, .ranks = 16};
  request.placement = Placement::by_node(parse_shape("torus:4x4"), 1);
  const Rates rates{.network = {.alpha = 1e-5, .beta = 8e-8}};
  // Rows and columns come at once, each over both links of its ring: 3/4 of 8 MiB each.
  const PlanCandidate best = best_of(request, summa, rates);
  EXPECT_EQ(best.grid.rows(), 4);
  EXPECT_NEAR(best.communicate_seconds, 512 * 2048 * 0.75 * 8 * 8e-8 / 2, 0.01);
  EXPECT_EQ(best_of(request, hsumma, rates).groups, (GroupShape{1, 1}));
  // One way round, and into place first.
  EXPECT_GT(best_of(request, cannon, rates).seconds,
            1.4 * best_of(request, sd_cannon, rates).seconds);
}

TEST(Planner, knows_every_rank_of_a_grid_on_a_torus_without_a_list) {
  auto machine = mapper_of(Placement::by_node(parse_shape("torus:4x6x2"), 2));
  for (const auto& [rows, columns] : {std::pair(8, 12), {4, 24}, {3, 32}}) {
    const MappedGrid grid(rows, columns, &*machine);
    ASSERT_TRUE(grid.rows);
    std::set<int> ranks;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const int rank = grid.shape.rank({row, column});
        EXPECT_EQ(grid.shape.position(rank), (GridPosition{row, column}));
        ranks.insert(rank);
      }
    }
    EXPECT_EQ(std::ssize(ranks), 96);
    EXPECT_EQ(*ranks.rbegin(), 95);
  }
  const LaidLayers layered(4, 6, 4, &*machine);
  for (int rank = 0; rank < 96; ++rank)
    EXPECT_EQ(layered.shape.rank(layered.shape.position(rank).value()), rank);
}

Rates rates_of_machine(const char* name) {
  const Machine& machine = *find_machine(name);
  return {.network = hockney(machine.between_nodes),
          .multiplications_per_second = machine.flops_per_second / 2,
          .overlap = machine.overlap};
}

TEST(Planner, does_not_count_on_hiding_all_words) {
  // On 16,384 ranks of a Blue Gene/P, total overlap hides 56 times the least words on a grid of
  // 4x4096 as well as these.
  PlanRequest request{.size = {65536, 65536, 65536}, .ranks = 16384};
  for (const bool on_torus : {false, true}) {
    if (on_torus) request.placement = Placement::by_node(parse_shape("torus:16x32x32"), 1);
    const PlanCandidate best =
        cheapest(plan_candidates(request, rates_of_machine("bgp-hsumma")), request);
    EXPECT_LT(best.words, 1.1 * lower_bound_words(request)) << describe_grid(best);
    EXPECT_LT(best_of(request, cannon, rates_of_machine("bgp-hsumma")).words,
              4 * lower_bound_words(request));
    const PlanCandidate layered =
        best_of(request, two_and_a_half_d, rates_of_machine("bgp-hsumma"));
    EXPECT_GE(layered.layered->layers(), 4);
    EXPECT_LT(layered.words, 1.5 * lower_bound_words(request));
  }
}

TEST(Planner, groups_save_what_the_papers_model_gives_where_broadcasts_are_its) {
  // Quintin et al. 2013, table II, for the machines of fig. 8 and 10. The paper's β counts
  // elements, so a word is a byte here.
  struct Case {
    const char* machine;
    std::int64_t n;
    int side;
  };
  for (const auto& [machine, n, side] :
       {Case{"bgp-hsumma", 65536, 128}, Case{"exascale-hsumma", 1 << 22, 1024}}) {
    constexpr std::int64_t block = 256;
    PlanRequest request{.size = {n, n, n}, .element_bytes = 1, .ranks = side * side};
    request.grid = GridShape(side, side);
    request.panel_width = request.outer_width = block;
    Rates rates{.network = hockney(find_machine(machine)->between_nodes),
                .multiplications_per_second = 1e300,
                .overlap = 0,
                .broadcast = BroadcastModel{BroadcastKind::van_de_geijn}};
    const auto paper = [&, elements = static_cast<double>(n)](double groups) {
      const BroadcastFactors inside = broadcast_factors(*rates.broadcast, side / std::sqrt(groups)),
                             between = broadcast_factors(*rates.broadcast, std::sqrt(groups));
      return 2 * (inside.latency + between.latency) * elements / block * rates.network.alpha +
             2 * (inside.bandwidth + between.bandwidth) * elements * elements / side *
                 rates.network.beta;
    };
    const double plain = best_of(request, summa, rates).communicate_seconds;
    EXPECT_NEAR(plain, paper(1), 1e-9 * plain);
    const PlanCandidate grouped = best_of(request, hsumma, rates);
    // Groups are whole, √128 is not.
    EXPECT_NEAR(plain / grouped.communicate_seconds, paper(1) / paper(side), 0.005);
    EXPECT_GE(grouped.groups.size(), side / 2) << machine;
    rates.broadcast = BroadcastModel{BroadcastKind::binomial};
    const double tree = best_of(request, summa, rates).communicate_seconds;
    EXPECT_NEAR(tree, paper(1), 1e-9 * tree);
    EXPECT_NEAR(best_of(request, hsumma, rates).communicate_seconds, tree, 1e-9 * tree);
  }
}

TEST(Planner, shifts_over_all_links_of_a_layer) {
  PlanRequest request{.size = {2048, 2048, 2048}, .ranks = 64, .layers = 4};
  request.placement = Placement::by_node(parse_shape("torus:4x4x4"), 1);
  const Rates rates{.network = {.alpha = 1e-5, .beta = 8e-8}};
  const auto inside = [&](LayerAlgorithm algorithm) {
    request.inside = algorithm;
    return best_of(request, two_and_a_half_d, rates);
  };
  const PlanCandidate split = inside(LayerAlgorithm::sd_cannon);
  EXPECT_EQ(split.inside, LayerAlgorithm::sd_cannon);
  EXPECT_EQ(split.digits, (std::vector<RotationDigit>{{4, 4}}));
  EXPECT_LT(1.2 * split.seconds, inside(LayerAlgorithm::cannon).seconds);
}

// Of a ring's two directions an algorithm that the user has fixed may use one, or less.
TEST(Planner, heeds_algorithms_that_are_fixed) {
  PlanRequest request{.size = {4096, 4096, 4096}, .ranks = 16, .grid = GridShape(4, 4)};
  request.placement = Placement::by_node(parse_shape("torus:4x4"), 1);
  Rates rates = slow_network;
  rates.network.alpha = 0;
  const double both_ways = best_of(request, summa, rates).communicate_seconds;
  rates.fixed_algorithm = [&](const LineOfNodes& line, Operation operation, double bytes) {
    EXPECT_EQ(operation, Operation::allgather);
    EXPECT_EQ(line.box.nodes(), 4);
    EXPECT_EQ(line.nodes.size(), 4U);
    return std::optional(0.75 * bytes * rates.network.beta);
  };
  EXPECT_NEAR(best_of(request, summa, rates).communicate_seconds, 2 * both_ways, 1e-9);
  rates.fixed_algorithm = [](const LineOfNodes&, Operation, double) {
    return std::optional<double>();
  };
  EXPECT_NEAR(best_of(request, summa, rates).communicate_seconds, both_ways, 1e-9);
}

TEST(Planner, lays_bricks_on_the_torus) {
  const Rates rates{.network = {.alpha = 0, .beta = 1e-9}, .multiplications_per_second = 1e300};
  // Cut so that the faces' groups are its lines and planes: a ring of 8, 2x8 of a plane, and half a
  // ring. Other orders of the splits load links up to twice as much.
  PlanRequest request{.size = {4096, 4096, 4096}, .ranks = 512, .bricks = std::array{16, 8, 4}};
  request.placement = Placement::by_node(parse_shape("torus:8x8x8"), 1);
  EXPECT_NEAR(best_of(request, cosma, rates).communicate_seconds, 327680 * 8e-9, 1e-6);
  // The fewest words are those of 30x26x21, whose groups share links; all ranks in lines and planes
  // are three times as quick.
  request = {.size = {65536, 65536, 65536}, .ranks = 16384};
  request.placement = Placement::by_node(parse_shape("torus:16x32x32"), 1);
  const PlanCandidate all = best_of(request, cosma, rates);
  EXPECT_EQ(all.bricks->ranks(), 16384);
  EXPECT_LT(all.words, 1.06 * lower_bound_words(request));
  request.bricks = std::array{30, 26, 21};
  EXPECT_LT(3 * all.communicate_seconds, best_of(request, cosma, rates).communicate_seconds);
}

/// The fewest words of an algorithm's candidates where nothing but words takes time.
double fewest_words(const PlanRequest& request, MultiplicationAlgorithm algorithm) {
  const Rates words_only{{0, 1e-9}, 1e30, false};
  double fewest = std::numeric_limits<double>::infinity();
  for (const PlanCandidate& one : plan_candidates(request, words_only, std::array{algorithm}))
    fewest = std::min(fewest, one.words);
  return fewest;
}

void expect_cosma_moves_the_least(const PlanRequest& request) {
  using enum MultiplicationAlgorithm;
  const auto& [m, n, k] = request.size;
  const double words = fewest_words(request, cosma);
  for (const auto other : {summa, stationary_a, stationary_b, hsumma, cannon, sd_cannon, srumma,
                           two_and_a_half_d, carma}) {
    EXPECT_LE(words, 1.01 * fewest_words(request, other))
        << to_string(other) << ": " << m << " x " << n << " x " << k << " on " << request.ranks;
  }
}

/// Products of any shape on any number of ranks, the same in every run.
class RandomProducts {
 public:
  PlanRequest next(double most_ranks, double least_extent = 64) {
    constexpr double most = 200000;
    const ProductSize size{draw(least_extent, most), draw(least_extent, most),
                           draw(least_extent, most)};
    return {.size = size, .ranks = static_cast<int>(draw(2, most_ranks))};
  }

 private:
  std::int64_t draw(double least, double most) {
    const double share = std::uniform_real_distribution<double>(0, 1)(random_);
    return std::llround(least * std::pow(most / least, share));
  }

  std::mt19937_64 random_{20261126};
};

/// Random products to plan; CUBOID_CASES=10000 asks for many.
int random_products() {
  const char* const wanted = std::getenv("CUBOID_CASES");
  return wanted == nullptr ? 500 : std::atoi(wanted);
}

TEST(Planner, cosma_moves_the_least) {
  using Case = std::pair<ProductSize, int>;
  for (const auto& [size, ranks] : {Case{{2048, 2048, 64}, 94},
                                    {{128, 128, 8192}, 4096},
                                    {{512, 512, 262144}, 18432},
                                    {{16384, 16384, 16384}, 8192},
                                    {{16384, 16384, 16384}, 16384},
                                    {{16384, 16384, 16384}, 18432}})
    expect_cosma_moves_the_least({.size = size, .ranks = ranks});
  // Bricks of a few rows and columns are among these.
  RandomProducts products;
  for (int one = 0; one < random_products(); ++one) {
    expect_cosma_moves_the_least(products.next(20000));
    expect_cosma_moves_the_least(products.next(2000, 1));
  }
}

/// The least seconds of an algorithm's candidates. The plan that is chosen may take up to 3% more,
/// where it needs less memory.
double least_seconds(const PlanRequest& request, MultiplicationAlgorithm algorithm,
                     const Rates& rates) {
  const auto candidates = plan_candidates(request, rates, std::array{algorithm});
  return std::ranges::min_element(candidates, {}, &PlanCandidate::seconds)->seconds;
}

TEST(Planner, cosma_is_never_slower_than_carma) {
  RandomProducts products;
  for (int one = 0; one < random_products() / 5; ++one) {
    const PlanRequest request = products.next(2000);
    for (const char* name : {"bgp", "piz-daint"}) {
      const Rates rates = rates_of_machine(name);
      EXPECT_LE(least_seconds(request, cosma, rates), least_seconds(request, carma, rates))
          << name << ": " << request.size.m << " x " << request.size.n << " x " << request.size.k
          << " on " << request.ranks;
    }
  }
}

TEST(Planner, shifts_in_one_direction_use_half_of_a_rings_links) {
  const Rates rates{.network = {.alpha = 0, .beta = 1e-9}, .multiplications_per_second = 1e300};
  PlanRequest request{.size = {4096, 4096, 4096}, .ranks = 64, .grid = GridShape(8, 8)};
  request.placement = Placement::by_node(parse_shape("torus:8x8"), 1);
  const PlanCandidate both = best_of(request, sd_cannon, rates);
  request.one_direction = true;
  const PlanCandidate one = best_of(request, sd_cannon, rates);
  EXPECT_TRUE(one.one_direction);
  EXPECT_EQ(one.words, both.words);
  EXPECT_GT(one.communicate_seconds, 1.5 * both.communicate_seconds);
  EXPECT_NEAR(one.communicate_seconds / best_of(request, cannon, rates).communicate_seconds, 1,
              0.01);
}

TEST(Planner, binary_trees_save_cosma_messages) {
  PlanRequest request{.size = {1024, 1024, 1024}, .ranks = 64, .bricks = std::array{4, 4, 4}};
  const PlanCandidate flat = best_of(request, cosma, slow_network);
  request.binary_tree = true;
  const PlanCandidate tree = best_of(request, cosma, slow_network);
  EXPECT_EQ(tree.bricks->splits().size(), 6U);
  EXPECT_EQ(tree.words, flat.words);
  EXPECT_LT(tree.messages, flat.messages);
}

TEST(Planner, cosma_leaves_no_more_ranks_idle_than_it_may) {
  PlanRequest request{.size = {2048, 2048, 64}, .ranks = 94};
  EXPECT_EQ(best_of(request, cosma, slow_network).bricks->ranks(), 90);
  for (const double most : {0.0, 0.03}) {
    request.idle_fraction = most;
    EXPECT_GE(best_of(request, cosma, slow_network).bricks->ranks(), 94 * (1 - most));
  }
  request.idle_fraction = 1;
  EXPECT_THROW(best_of(request, cosma, slow_network), Error);
}

TEST(Planner, layers_save_most_words_where_there_is_little_to_multiply) {
  // There 2.5D gained most over 2D, 8.7 times (Solomonik et al. 2011, §3.2.2).
  const PlanRequest request{.size = {8192, 8192, 8192}, .ranks = 16384};
  PlanRequest flat = request;
  flat.layers = 1;
  const PlanCandidate layered = best_of(request, two_and_a_half_d, rates_of_machine("bgp-hsumma"));
  EXPECT_GE(layered.layered->layers(), 4);
  EXPECT_LT(layered.words,
            0.5 * best_of(flat, two_and_a_half_d, rates_of_machine("bgp-hsumma")).words);
}

TEST(Planner, plans_on_a_torus_of_many_ranks) {
  PlanRequest request{.size = {65536, 65536, 65536}, .ranks = 4096};
  request.placement = Placement::by_node(parse_shape("torus:16x16x16"), 1);
  const PlanCandidate best = best_of(request, two_and_a_half_d);
  EXPECT_LT(best.words, 1.3 * lower_bound_words(request));
  const PlanCandidate flat = best_of(request, summa);
  EXPECT_EQ(flat.grid.rows() * flat.grid.columns(), 4096);
  EXPECT_EQ(flat.grid.position(flat.grid.rank({5, 7})), (GridPosition{5, 7}));
}

TEST(Planner, groups_by_trying_keep_within_memory_whichever_wins) {
  PlanRequest request{.size = {4096, 4096, 4096}, .ranks = 16, .grid = GridShape(4, 4)};
  request.groups.sample = true;
  const double by_trying = best_of(request, hsumma).memory;
  request.groups.sample = false;
  for (const GroupShape& groups : group_shapes(*request.grid)) {
    request.groups.shape = groups;
    EXPECT_GE(by_trying, best_of(request, hsumma).memory) << to_string(groups);
  }
  request.groups = {.sample = true};
  request.memory = static_cast<std::int64_t>(by_trying) - 1;
  EXPECT_THROW(best_of(request, hsumma), Error);
  request.memory = static_cast<std::int64_t>(by_trying) + 1;
  EXPECT_TRUE(best_of(request, hsumma).sample_groups);
}

TEST(Planner, panels_are_no_wider_than_the_outer_ones_asked_for) {
  PlanRequest request{.size = {4096, 4096, 4096}, .ranks = 16, .grid = GridShape(4, 4)};
  request.outer_width = 32;
  request.groups.shape = GroupShape{2, 2};
  const PlanCandidate best = best_of(request, hsumma);
  EXPECT_EQ(best.outer_width, 32);
  EXPECT_EQ(best.panel_width, 32);
}

TEST(Planner, prices_are_numbers_also_where_nothing_travels) {
  for (const char* shape : {"torus:4x4", "mesh:3x5"}) {
    for (const ProductSize& size :
         {ProductSize{0, 8, 8}, ProductSize{8, 0, 8}, ProductSize{8, 8, 0}, ProductSize{1, 1, 1},
          ProductSize{8, 8, 100'000'000}}) {
      const Placement placement = Placement::by_node(parse_shape(shape), 1);
      PlanRequest request{.size = size, .ranks = placement.ranks(), .placement = placement};
      for (const PlanCandidate& one : plan_candidates(request, slow_network)) {
        EXPECT_TRUE(std::isfinite(one.seconds) && one.seconds >= 0)
            << to_string(one.algorithm) << " " << describe_grid(one) << ": " << one.seconds;
      }
    }
  }
}

TEST(Planner, names_what_was_fixed_where_nothing_can_be_done_with_it) {
  PlanRequest request{.size = {64, 64, 64}, .ranks = 16, .grid = GridShape(4, 4)};
  request.groups.count = 3;
  try {
    best_of(request, hsumma);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "planner: no algorithm for 64 x 64 x 64 on 16 ranks with a 4x4 grid and 3 groups: "
                 "give others, or none");
  }
}

TEST(Planner, takes_what_the_user_fixed) {
  PlanRequest request{.size = {1000, 1000, 1000}, .ranks = 12};
  request.grid = GridShape(3, 4);
  for (const auto& candidate : plan_candidates(request, slow_network)) {
    if (candidate.algorithm == summa || candidate.algorithm == cannon) {
      EXPECT_EQ(candidate.grid, GridShape(3, 4));
    }
  }
  request.bricks = std::array{3, 2, 2};
  request.rounds = 5;
  EXPECT_EQ(describe_grid(best_of(request, cosma)), "3x2x2 in 5 rounds");
  request.grid = GridShape(4, 4);
  EXPECT_THROW(plan_candidates(request, slow_network), Error);
  EXPECT_THROW(plan_candidates({.size = {1, 1, 1}, .ranks = 0}, slow_network), Error);
  EXPECT_THROW(plan_candidates({.size = {1, 1, 1}, .layers = 0}, slow_network), Error);
  EXPECT_THROW(plan_candidates({.size = {9, 9, 9}, .rounds = 10}, slow_network), Error);
  EXPECT_NO_THROW(plan_candidates({.size = {9, 9, 9}, .rounds = 9}, slow_network));
}

TEST(Planner, any_size_and_any_number_of_ranks_has_a_plan) {
  for (const std::int64_t m : {0, 1, 7, 257}) {
    for (const std::int64_t n : {0, 1, 7, 257}) {
      for (const std::int64_t k : {0, 1, 7, 257}) {
        for (int ranks = 1; ranks <= 17; ++ranks) {
          const PlanRequest request{.size = {m, n, k}, .ranks = ranks};
          EXPECT_NO_THROW(cheapest(plan_candidates(request, slow_network), request));
        }
      }
    }
  }
}

}  // namespace planner_test
}  // namespace cuboid::detail
