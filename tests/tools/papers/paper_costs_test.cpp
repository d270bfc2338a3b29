#include "models/messages/torus_costs.hpp"
#include "tools/papers/layered_costs.hpp"
#include "tools/papers/one_sided_costs.hpp"
#include "tools/papers/shift_costs.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace paper_costs_test {

constexpr ProductExtents cubic{64, 64, 64};

TEST(LayeredCosts, WordsByHand) {
  const auto words = layered_multiplication_words({.n = 64, .ranks = 64, .layers = 4});
  EXPECT_EQ(words.replicate, 2 * 4096 * 4 / 64);
  EXPECT_EQ(words.steps, 2 * 4096 / 16);
  EXPECT_EQ(words.reduce, 4096 * 4 / 64);
  EXPECT_EQ(layered_multiplication_seconds({64, 64, 4}, 8, {1, 2, 4}),
            8 * (512.0 + 512.0 / 4 + 256.0 / 2));
}

TEST(LayeredCosts, OneLayerReplicatesNothing) {
  const auto words = layered_multiplication_words({.n = 64, .ranks = 64, .layers = 1});
  EXPECT_EQ(words.replicate + words.reduce, 0);
  EXPECT_EQ(words.total(), 2 * 4096 / 8);
  EXPECT_EQ(layered_multiplication_words({64, 1, 1}).total(), 0);
}

TEST(LayeredCosts, LinesTendToTheirPeaks) {
  const LogGP network = log_p(1, 1, 0, 0.5);
  for (const auto kind :
       {LineCollective::rectangular, LineCollective::binomial, LineCollective::scatter_allgather}) {
    EXPECT_NEAR(1e9 / line_seconds(network, kind, 16, 1e9), line_peak(network, kind, 16), 1e-4);
    EXPECT_EQ(line_seconds(network, kind, 1, 1e9), 0);
  }
  EXPECT_EQ(line_peak(network, LineCollective::rectangular, 16), 4);
  EXPECT_EQ(line_peak(network, LineCollective::binomial, 16), 1);
  EXPECT_EQ(line_peak(network, LineCollective::scatter_allgather, 16), 16.0 / 15);
}

TEST(LayeredCosts, LuByHandOnFourRanks) {
  // 2×2×1: two steps with blocks of 4; after the first, 4 rows and columns are left.
  const LogGP network = log_p(0, 0, 0, 2);  // a line of two: 1 s per byte
  const auto seconds =
      layered_lu_seconds(network, LineCollective::rectangular, {8, 4, 1}, /*element_bytes=*/1);
  EXPECT_EQ(seconds.diagonal, 2 * 2 * 16);
  EXPECT_EQ(seconds.to_layers, 0);
  EXPECT_EQ(seconds.panels, 2 * (4 * 4 / 2));
  EXPECT_EQ(seconds.schur, 0);
}

TEST(LayeredCosts, LuOnOneRankIsSilentAndWithoutLatencyScalesWithTheMatrix) {
  const LogGP network = log_p(0, 0, 0, 1);
  EXPECT_EQ(layered_lu_seconds(network, LineCollective::binomial, {64, 1, 1}, 8).total(), 0);
  const double once = layered_lu_seconds(network, LineCollective::binomial, {64, 64, 4}, 8).total();
  EXPECT_NEAR(layered_lu_seconds(network, LineCollective::binomial, {128, 64, 4}, 8).total(),
              4 * once, 1e-9 * once);
}

TEST(LayeredCosts, EfficiencyIsAShare) {
  EXPECT_EQ(parallel_efficiency(3, 1), 0.75);
  EXPECT_EQ(parallel_efficiency(3, 0), 1);
  EXPECT_EQ(parallel_efficiency(0, 0), 1);
}

TEST(ShiftCosts, ByHand) {
  const ShiftTorus torus{.extent = 4, .dimensions = 4};
  EXPECT_EQ(torus.ranks(), 256);
  EXPECT_EQ(sd_stagger_stages(torus), 8);
  EXPECT_EQ(sd_contract_stages(torus), 4 + 16);
  EXPECT_EQ(cannon_seconds({1, 2}, cubic, 256), 32 * (1 + 2 * 16.0));
  EXPECT_EQ(sd_cannon_seconds({1, 2}, cubic, torus), 28 * (1 + 2 * 4.0));
}

TEST(ShiftCosts, ContractionNeverTakesMoreThanTwiceTheSide) {
  for (double l = 2; l <= 16; ++l)
    for (double d = 2; d <= 8; d += 2)
      EXPECT_LE(sd_contract_stages({l, d}), 2 * std::sqrt(ShiftTorus{l, d}.ranks()));
}

TEST(ShiftCosts, OneRankShiftsNothing) {
  EXPECT_EQ(cannon_seconds({1, 1}, cubic, 1), 0);
  EXPECT_EQ(sd_cannon_seconds({1, 1}, cubic, {1, 2}), 0);
}

TEST(OneSidedCosts, ByHand) {
  const auto seconds = one_sided_seconds({3, 2}, 4, cubic, 4, 2);
  EXPECT_EQ(seconds.compute, 64 * 64 * 64 / 8 / 4);
  EXPECT_EQ(seconds.data, 2 * (512 * 2 + 512 * 4));
  EXPECT_EQ(seconds.latency, 3 * 6);
}

TEST(OneSidedCosts, SquareGridsGiveEquationOne) {
  const auto seconds = one_sided_seconds({3, 2}, 1, cubic, 4, 4);
  EXPECT_EQ(seconds.compute, 64 * 64 * 64 / 16);
  EXPECT_EQ(seconds.data, 2 * (64 * 64 / 4) * 2);
  EXPECT_EQ(seconds.latency, 2 * 3 * 4);
}

TEST(OneSidedCosts, ComputingLongerThanCommunicatingHidesAllData) {
  EXPECT_EQ(shown_share({10, 5, 5}), 0);
  EXPECT_EQ(shown_share({5, 8, 2}), 0.5);
  EXPECT_EQ(shown_share({5, 0, 0}), 0);
  EXPECT_EQ(overlapped_seconds({5, 8, 2}, 0.5), 5 + 4 + 2);
  EXPECT_EQ(overlapped_seconds({5, 8, 2}, 1), 15);  // eq 1
  EXPECT_EQ(one_sided_efficiency(64, 16, 8), 0.5);
}

TEST(OneSidedCosts, IsoefficiencyGrowsAsTheThreeHalvesPowerOfTheRanks) {
  EXPECT_EQ(isoefficiency(0.5, 16, 8), 64 * 64 * 64);
  EXPECT_EQ(isoefficiency(0.75, 16, 2), 48 * 48 * 48);  // 2·√16·2·3
  for (const double ranks : {1.0, 16.0, 1024.0}) {
    const double n = std::cbrt(isoefficiency(0.9, ranks, 3));
    EXPECT_NEAR(one_sided_efficiency(n, ranks, 3), 0.9, 1e-12);
    EXPECT_NEAR(isoefficiency(0.9, 4 * ranks, 3) / isoefficiency(0.9, ranks, 3), 8, 1e-9);
  }
}

}  // namespace paper_costs_test
}  // namespace cuboid::detail
