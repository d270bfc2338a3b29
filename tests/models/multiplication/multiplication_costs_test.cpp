#include "models/multiplication/multiplication_costs.hpp"

#include "models/messages/torus_costs.hpp"
#include "models/multiplication/lower_bounds.hpp"
#include "models/multiplication/overlap.hpp"
#include "models/multiplication/stationary_costs.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace multiplication_costs_test {

constexpr ProductExtents cubic{64, 64, 64};

constexpr PanelWidths panels_of_16{.inner = 16};

TEST(MultiplicationCosts, ByHand) {
  const auto summa = summa_cost(cubic, 4, 4, panels_of_16);
  EXPECT_EQ(summa.work, 16 * 16 * 64);
  EXPECT_EQ(summa.a_words, 16 * 48);
  EXPECT_EQ(summa.words(), 2 * 16 * 48);
  EXPECT_EQ(summa.messages, 4 * (2 + 2));
  EXPECT_EQ(summa.rounds, 4);
  EXPECT_EQ(summa.memory, 3 * 256 + 2 * 32 * 16);

  const auto srumma = srumma_cost(cubic, 4, 2, 1000, 2);
  EXPECT_EQ(srumma.words(), 16 * 32 + 32 * 48);
  EXPECT_EQ(srumma.rounds, 4);
  EXPECT_EQ(srumma.messages, 4 * 1.25);
  // Its block of each matrix, copies of A's and B's, pieces of two tasks: all of four if eight may
  // be there.
  const double shares = 64.0 * 64 / 8;
  EXPECT_EQ(srumma.memory, 5 * shares + 2 * (16 + 32) * 16);
  EXPECT_EQ(srumma_cost(cubic, 4, 2, 1000, 8).memory, 5 * shares + 4 * (16 + 32) * 16);
  // Cut at thirds and at quarters.
  EXPECT_DOUBLE_EQ(srumma_cost(cubic, 3, 4, 1000, 2).messages, 6 * (2 - 1.0 / 3 - 1.0 / 4));

  const auto cannon = rotation_cost(cubic, 4, 4, 4, 1);
  EXPECT_EQ(cannon.words(), 2 * 256 * 4);
  EXPECT_EQ(cannon.messages, 8);
  const auto oblong = rotation_cost(cubic, 4, 2, 4, 4);
  EXPECT_EQ(oblong.a_words, 16 * 64);
  EXPECT_EQ(oblong.b_words, 32 * 64);
  EXPECT_EQ(oblong.messages, 2 * 4 * 4);
  // Shares and two slots for each block, also of lines that are one rank.
  EXPECT_EQ(cannon.memory, 3 * 256 + 2 * 2 * 256);
  const auto one_row = rotation_cost(cubic, 1, 4, 4, 1);
  EXPECT_EQ(one_row.memory, 3 * 1024 + 2 * 2 * 1024);

  const auto layered = layered_cost(cubic, 2, 2, 4, {.width = 16});
  EXPECT_EQ(layered.work, 32 * 32 * 16);
  EXPECT_EQ(layered.c_words, 1024 * 3 / 4);
  EXPECT_EQ(layered.words(), 64 * 8 + 768);
  EXPECT_EQ(layered.messages, 2 + 3);

  const auto replicated = layered_cost(cubic, 4, 4, 2, {.replicated = true, .width = 16});
  EXPECT_EQ(replicated.a_words, 16 * 32);      // all that its layer multiplies
  EXPECT_EQ(replicated.c_words, 3 * 16 * 16);  // A and B to the layer, C from it
  EXPECT_EQ(replicated.messages, 2 * (2 + 2) + 3);
}

/// On lines of 4 and as many layers: half of all operands, then the rest, kept columns at the end.
SlabCut two_slabs() {
  return {.steps = {{0.5, 2.0 / 3, 0}, {1, 1, 0}, {1, 1, 1}},
          .own_rows = 0.25,
          .own_columns = 0.25,
          .given = 0.75};
}

TEST(MultiplicationCosts, OfSlabsByHand) {
  const auto cost = layered_cost(cubic, 4, 4, 4, {.slabs = two_slabs()});
  EXPECT_EQ(cost.work, 16 * 16 * 16);
  EXPECT_EQ(cost.a_words, 16 * 12);
  EXPECT_EQ(cost.c_words, 16 * 12);
  // Rows twice, columns three times; two sums.
  EXPECT_EQ(cost.messages, 2 * 2 + 3 * 2 + 2 * 3);
  // The first border is 10 x 9, the second 6 x 12 and 10 x 3, the kept columns 16 x 4.
  EXPECT_DOUBLE_EQ(cost.operands, 16 * (10 + 9 + 6 + 12 + 10 + 3 + 16 + 4));
  // Shares and pieces, the operands twice, sums of others, and the largest tile.
  EXPECT_DOUBLE_EQ(cost.memory, 64 + 64 + 256 + 4 * 16 * 16 + 2 * 64 + 16 * 12 + 90);
}

TEST(MultiplicationCosts, SumsOfSlabsTravelUnderOperands) {
  const auto cost = layered_cost({1024, 1024, 1024}, 4, 4, 4, {.slabs = two_slabs()});
  const RankRates network{.per_element = {0, 1e-6}, .multiplications_per_second = 1e18};
  const LinksOfLines lines{1, 1, 1, true};
  // Half of the operands' time, in which (5/8)² of what is given is complete; all of it; the rest.
  const double operands = cost.a_words * 1e-6;
  EXPECT_NEAR(multiplication_seconds(cost, network, lines).total,
              operands * (2 - 0.625 * (0.25 + 0.75 * 2 / 3)), operands * 1e-6);
}

TEST(MultiplicationCosts, LinksThatRestedMakeUpForIt) {
  const ProductExtents square{480, 480, 480};
  RankRates rates{.per_element = {0, 1e-6}, .multiplications_per_second = 1e10};
  LinksOfLines lines{2, 2, 2, true, LinksOfLines::Sums::of_a};
  const auto cost = stationary_cost(square, true, 4, 4, 120);
  const double busiest = cost.b_words / 2 * 1e-6;
  EXPECT_DOUBLE_EQ(cost.a_words + cost.c_words, cost.b_words);
  const double without = multiplication_seconds(cost, rates, lines).total;
  EXPECT_GT(without, 1.2 * busiest);
  rates.burst_credit_seconds = busiest / 10;
  EXPECT_DOUBLE_EQ(multiplication_seconds(cost, rates, lines).total, without - busiest / 10);
  rates.burst_credit_seconds = busiest;
  EXPECT_DOUBLE_EQ(multiplication_seconds(cost, rates, lines).total, busiest);
  // Links of the sums' own rest, too, but B's carry all the time.
  lines.sums = LinksOfLines::Sums::own;
  EXPECT_DOUBLE_EQ(multiplication_seconds(cost, rates, lines).total, busiest);
  rates.burst_credit_seconds = busiest / 100;
  EXPECT_DOUBLE_EQ(multiplication_seconds(cost, rates, lines).total, without - 2 * busiest / 100);
  rates.burst_credit_seconds = busiest;
  // Multiplications are never quicker than the cores.
  rates.multiplications_per_second = 1e6;
  lines.sums = LinksOfLines::Sums::of_a;
  EXPECT_GE(multiplication_seconds(cost, rates, lines).total, cost.work / 1e6);
}

TEST(MultiplicationCosts, OneRankReceivesNothing) {
  for (const auto& cost : {summa_cost(cubic, 1, 1, panels_of_16), srumma_cost(cubic, 1, 1, 16, 2),
                           rotation_cost(cubic, 1, 1, 1, 2), layered_cost(cubic, 1, 1, 1, {})}) {
    EXPECT_EQ(cost.work, cubic.work());
    EXPECT_EQ(cost.words(), 0);
    EXPECT_EQ(cost.messages, 0);
  }
}

TEST(MultiplicationCosts, NothingToDoCostsNoWords) {
  const ProductExtents none{64, 64, 0};
  for (const auto& cost : {summa_cost(none, 4, 4, panels_of_16), srumma_cost(none, 4, 4, 16, 2),
                           rotation_cost(none, 4, 4, 4, 1), layered_cost(none, 2, 2, 1, {})}) {
    EXPECT_EQ(cost.work, 0);
    EXPECT_EQ(cost.words(), 0);
  }
}

TEST(MultiplicationCosts, OneLayerIsSummaOrCannons) {
  const auto expect_equal = [](const MultiplicationCost& one, const MultiplicationCost& other) {
    EXPECT_EQ(one.words(), other.words());
    EXPECT_EQ(one.messages, other.messages);
    EXPECT_EQ(one.memory, other.memory);
  };
  expect_equal(layered_cost(cubic, 4, 4, 1, {.width = 16}), summa_cost(cubic, 4, 4, panels_of_16));
  expect_equal(layered_cost(cubic, 4, 4, 1, {.shifts = true, .steps = 4}),
               rotation_cost(cubic, 4, 4, 4, 1));
}

// Kwasniewski et al. 2019, table 3: k(m + n)/√(pc) + mn·c/p, 2-D's bandwidth over √c.
TEST(MultiplicationCosts, LayersSaveTheirRoot) {
  const ProductExtents large{4096, 4096, 4096};
  const auto flat = layered_cost(large, 16, 16, 1, {.width = 64});
  const auto layered = layered_cost(large, 8, 8, 4, {.width = 64});
  const auto seen = [](const MultiplicationCost& cost, double side) {
    return (cost.a_words + cost.b_words) / (1 - 1 / side);
  };
  EXPECT_DOUBLE_EQ(seen(flat, 16), 2 * seen(layered, 8));
  EXPECT_DOUBLE_EQ(layered.c_words, 512 * 512 * 3 / 4.0);
}

TEST(MultiplicationCosts, GroupsSaveMessagesAndNoWords) {
  const auto summa = summa_cost(cubic, 4, 4, panels_of_16);
  const auto hsumma = summa_cost(
      cubic, 4, 4, {.inner = 16, .outer = 32, .groups_along_rows = 2, .groups_along_columns = 2});
  EXPECT_EQ(hsumma.words(), summa.words());
  EXPECT_EQ(hsumma.messages, 2 * (1 + 1) + 4 * (1 + 1));
  for (const bool ring : {false, true}) {
    EXPECT_EQ(crossing_factor(1, 1, ring), 1);
    EXPECT_EQ(crossing_factor(4, 1, ring), 1);
    EXPECT_EQ(crossing_factor(4, 4, ring), 1);
  }
  // On every link two blocks from the other group, or one either way round; then two to the
  // neighbour.
  EXPECT_DOUBLE_EQ(crossing_factor(4, 2, false), (2 + 2) / 3.0);
  EXPECT_DOUBLE_EQ(crossing_factor(4, 2, true), (1 + 2) / 1.5);
}

TEST(MultiplicationCosts, BlocksGoIntoPlaceByTheShorterWay) {
  for (const double at_once : {1, 2}) EXPECT_EQ(stagger_factor(1, true, at_once, 1), 1);
  EXPECT_EQ(stagger_factor(2, true, 1, 2), 1);
  // From two ranks on half of them goes either way round, on each link one block.
  EXPECT_EQ(stagger_factor(4, true, 1, 4), (3 + 1) / 4.0);
  EXPECT_EQ(stagger_factor(5, true, 1, 5), (4 + 2) / 5.0);
  // On a line two blocks meet in the middle.
  EXPECT_EQ(stagger_factor(4, false, 1, 4), (3 + 2) / 4.0);
  // Halves shift both ways in half the time, but go into place the same way: 2 + 4/2 blocks.
  EXPECT_EQ(5 * stagger_factor(5, true, 2, 5) / 2, 2 + 4 / 2);
  // Two digits of 4 ranks have four links; into place a block goes one link along each.
  EXPECT_EQ(16 * stagger_factor(16, true, 4, 4) / 4, 1 + 15 / 4.0);
}

TEST(MultiplicationCosts, NoneGoesBelowTheBound) {
  const ProductExtents product{300, 500, 700};
  for (const double side : {2.0, 3.0, 7.0}) {
    const double square = least_received(product, side * side);
    const double cube = least_received(product, side * side * side);
    EXPECT_GE(summa_cost(product, side, side, {.inner = 32}).words(), square);
    EXPECT_GE(rotation_cost(product, side, side, side, 1).words(), square);
    EXPECT_GE(layered_cost(product, side, side, side, {.width = 32}).words(), cube);
  }
}

TEST(MultiplicationCosts, OverlapHidesAllButTheFirstRound) {
  const MultiplicationCost cost{.work = 100, .a_words = 60, .b_words = 40, .rounds = 4};
  const RankRates rates{.per_element = {0, 1}, .multiplications_per_second = 1};
  const auto hidden = multiplication_seconds(cost, rates);
  EXPECT_EQ(hidden.compute, 100);
  EXPECT_EQ(hidden.communicate, 100);
  EXPECT_EQ(hidden.total, 50 + 75);
  RankRates blocking = rates;
  blocking.overlap = 0;
  EXPECT_EQ(multiplication_seconds(cost, blocking).total, 200);
  RankRates half = rates;
  half.overlap = 0.5;
  EXPECT_EQ(multiplication_seconds(cost, half).total, 50 + 75 * 1.5);
  // Its cores cannot multiply while they receive.
  RankRates busy = rates;
  busy.core_seconds = 1;
  EXPECT_EQ(multiplication_seconds(cost, busy).total, (100 + 100) / 4.0 + 150);
  busy.core_seconds = 2;
  EXPECT_EQ(multiplication_seconds(cost, busy).total, (200 + 100) / 4.0 + 225);
  MultiplicationCost summed = cost;
  summed.c_words = 20;
  EXPECT_EQ(multiplication_seconds(summed, rates).total, (100 + 100) / 4.0 + 75 + 20);
  // Links that rest under the last round bring the next call's first one the sooner.
  RankRates rested = rates;
  rested.burst_credit_seconds = 7;
  EXPECT_EQ(multiplication_seconds(cost, rested).total, 50 + 75 - 7);
  EXPECT_EQ(multiplication_seconds(summed, rested).total, 50 + 75 + 20 - 2 * 7);
  MultiplicationCost at_once = cost;
  at_once.under_way = 4;
  EXPECT_EQ(multiplication_seconds(at_once, rested).total, 100 + 100 - 7);
  rested.burst_credit_seconds = 1000;
  EXPECT_EQ(multiplication_seconds(cost, rested).total, 50 + 75 - 25);
}

TEST(MultiplicationCosts, OverlapIsFoundAgainInWhatItTakes) {
  for (const OverlapBounds& bounds : {OverlapBounds{5, 3}, {7, 7.0 / 2}, {1e-3, 0.9e-3}}) {
    for (const double overlap : {0.0, 0.25, 0.9, 1.0}) {
      EXPECT_NEAR(*overlap_of(bounds, partly_overlapped(bounds, overlap)), overlap, 1e-12);
    }
    // Noise makes no more than all of it hide, nor less than nothing.
    EXPECT_EQ(overlap_of(bounds, 0.5 * bounds.at_best), 1);
    EXPECT_EQ(overlap_of(bounds, 2 * bounds.apart), 0);
  }
  EXPECT_EQ(overlap_of({3, 3}, 3), std::nullopt);
}

TEST(MultiplicationCosts, SlabsAndRoundsWithoutOverlapTakeAllOneAfterTheOther) {
  const RankRates rates{.per_element = {0, 1e-6}, .multiplications_per_second = 1e6, .overlap = 0};
  for (const auto& cost : {layered_cost({1024, 1024, 1024}, 4, 4, 4, {.slabs = two_slabs()}),
                           layered_cost({1024, 1024, 1024}, 4, 4, 4, {.width = 64}),
                           rotation_cost({1024, 1024, 1024}, 4, 4, 4, 1)}) {
    const auto seconds = multiplication_seconds(cost, rates);
    EXPECT_DOUBLE_EQ(seconds.total, seconds.compute + seconds.communicate);
  }
}

TEST(MultiplicationCosts, NarrowPanelsReadAndWriteTheResultAgain) {
  // 512 inner indices: a gemm passes over C twice, eight panels of 64 six times more.
  MultiplicationCost cost = rotation_cost({800, 100, 512}, 8, 1, 8, 1);
  cost.operands = 0;
  const RankRates rates{
      .per_element = {}, .multiplications_per_second = 1e9, .seconds_per_copy = 1e-9};
  const double work = 100.0 * 100 * 512;
  EXPECT_DOUBLE_EQ(multiplication_seconds(cost, rates).compute, 1e-9 * (work + 6 * 100 * 100));
  cost.rounds = 2;
  EXPECT_DOUBLE_EQ(multiplication_seconds(cost, rates).compute, 1e-9 * work);
}

TEST(MultiplicationCosts, NarrowOperandsTakeLongerAndWideOnesLess) {
  // A gemm's rate is that of blocks of 256: 2/256 words are read for each multiplication.
  const RankRates rates{
      .per_element = {}, .multiplications_per_second = 1e9, .seconds_per_copy = 1e-9};
  const auto compute = [&](double height, double breadth) {
    const MultiplicationCost cost{.work = height * breadth * 1024,
                                  .operands = (height + breadth) * 1024};
    return multiplication_seconds(cost, rates).compute / cost.work;
  };
  EXPECT_DOUBLE_EQ(compute(256, 256), 1e-9);
  EXPECT_DOUBLE_EQ(compute(128, 128), 1e-9 * (1 + 1.0 / 128));
  EXPECT_DOUBLE_EQ(compute(512, 512), 1e-9 * (1 - 1.0 / 256));
  EXPECT_LT(compute(256, 256), compute(1024, 64));
}

TEST(MultiplicationCosts, OnANodeSrummaReceivesNothing) {
  const auto shared = srumma_cost_on_node(cubic, 4, 2, true);
  EXPECT_EQ(shared.work, 16 * 32 * 64);
  EXPECT_EQ(shared.words(), 0);
  EXPECT_EQ(shared.messages, 0);
  EXPECT_EQ(shared.rounds, 4);
  EXPECT_EQ(shared.operands, (16 + 32) * 64);
  EXPECT_EQ(shared.memory, 3 * 512);
  const auto copied = srumma_cost_on_node(cubic, 4, 2, false);
  EXPECT_EQ(copied.copied, 2 * 512);
  EXPECT_EQ(copied.memory, 5 * 512);
  // A row that is one rank shows its part of A to nobody.
  EXPECT_EQ(srumma_cost_on_node(cubic, 4, 1, false).copied, 64 * 16);
  EXPECT_EQ(srumma_cost_on_node(cubic, 1, 1, false).copied, 0);
}

TEST(MultiplicationCosts, LinksApartCarryAtOnce) {
  const MultiplicationCost cost{.a_words = 60, .b_words = 40, .c_words = 20, .rounds = 1};
  const RankRates rates{.per_element = {0, 1}};
  EXPECT_EQ(multiplication_seconds(cost, rates).communicate, 120);
  EXPECT_EQ(multiplication_seconds(cost, rates, {.apart = true}).communicate, 60 + 20);
  EXPECT_EQ(multiplication_seconds(cost, rates, {2, 1, 4, true}).communicate, 40 + 5);
}

}  // namespace multiplication_costs_test
}  // namespace cuboid::detail
