#include "tools/papers/hierarchical_costs.hpp"

#include <cuboid/error.hpp>

#include "models/messages/machine.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace hierarchical_costs_test {

constexpr BroadcastModel binomial{BroadcastKind::binomial};
constexpr BroadcastModel van_de_geijn{BroadcastKind::van_de_geijn};
constexpr Hockney network{.alpha = 3, .beta = 0.5};
constexpr GroupedProduct product{.n = 64, .ranks = 256, .inner_block = 4, .outer_block = 8};

TEST(HierarchicalCosts, TableOneByHand) {
  // 64/4 panels inside, 64/8 between; 64²/16 = 256 elements.
  const auto four = hsumma_seconds(network, binomial, product, 4);
  EXPECT_DOUBLE_EQ(four.latency_inside, 6 * 16 * 3.0);  // log2(256/4) = 6
  EXPECT_DOUBLE_EQ(four.latency_between, 2 * 8 * 3.0);  // log2(4) = 2
  EXPECT_DOUBLE_EQ(four.bandwidth_inside, 6 * 256 * 0.5);
  EXPECT_DOUBLE_EQ(four.bandwidth_between, 2 * 256 * 0.5);
  EXPECT_DOUBLE_EQ(four.total(), 288 + 48 + 768 + 256);
}

TEST(HierarchicalCosts, TableTwoByHand) {
  const auto sixteen = hsumma_seconds(network, van_de_geijn, product, 16);
  EXPECT_DOUBLE_EQ(sixteen.latency_inside, (4 + 2 * 3) * 16 * 3.0);
  EXPECT_DOUBLE_EQ(sixteen.latency_between, (4 + 2 * 3) * 8 * 3.0);
  EXPECT_DOUBLE_EQ(sixteen.bandwidth_inside, 4 * 0.75 * 256 * 0.5);
  EXPECT_DOUBLE_EQ(sixteen.bandwidth_between, 4 * 0.75 * 256 * 0.5);
}

TEST(HierarchicalCosts, SummaByHand) {
  const auto summa = summa_seconds(network, van_de_geijn, product);
  EXPECT_DOUBLE_EQ(summa.total(), (8 + 2 * 15) * 16 * 3.0 + 4 * (15.0 / 16) * 256 * 0.5);
}

TEST(HierarchicalCosts, OneGroupAndGroupsOfOneAreSumma) {
  const GroupedProduct equal{.n = 64, .ranks = 256, .inner_block = 4, .outer_block = 4};
  for (const BroadcastKind kind : broadcast_kinds()) {
    const double summa = summa_seconds(network, {kind}, equal).total();
    EXPECT_DOUBLE_EQ(hsumma_seconds(network, {kind}, equal, 1).total(), summa);
    EXPECT_DOUBLE_EQ(hsumma_seconds(network, {kind}, equal, 256).total(), summa);
  }
}

TEST(HierarchicalCosts, OneRankNeedsNoTime) {
  const GroupedProduct alone{.n = 64, .ranks = 1, .inner_block = 4, .outer_block = 4};
  for (const BroadcastKind kind : broadcast_kinds())
    EXPECT_EQ(summa_seconds(network, {kind}, alone).total(), 0);
}

TEST(HierarchicalCosts, TheRootOfTheRanksIsBestExactlyWhereLatencyWeighsMore) {
  std::vector<double> groups;
  for (double g = 1; g <= 4096; g *= 2) groups.push_back(g);
  const GroupedProduct square{.n = 1024, .ranks = 4096, .inner_block = 16, .outer_block = 16};
  const double threshold = 2 * 1024.0 * 16 / 4096;  // 2nb/p = 8
  for (const double factor : {0.01, 0.5, 0.99, 1.01, 2.0, 100.0}) {
    const Hockney given{.alpha = threshold * factor, .beta = 1};
    const double best = best_groups(given, van_de_geijn, square, groups);
    EXPECT_EQ(best, factor > 1 ? 64 : 1) << factor;
    EXPECT_EQ(optimal_groups(given, square), best) << factor;
  }
  // At the threshold latency's gain is the bandwidth's loss: every G costs the same.
  const Hockney even{.alpha = threshold, .beta = 1};
  EXPECT_EQ(optimal_groups(even, square), 1);
  EXPECT_NEAR(hsumma_seconds(even, van_de_geijn, square, 64).total(),
              summa_seconds(even, van_de_geijn, square).total(), 1e-6);
}

TEST(HierarchicalCosts, AtTheOptimumAsThePaperWritesIt) {
  const double n = 1024, b = 16, p = 4096;
  const double alpha = 20, beta = 1;
  const double expected = (std::log2(p) + 4 * (std::pow(p, 0.25) - 1)) * n / b * alpha +
                          8 * (1 - std::pow(p, -0.25)) * n * n / std::sqrt(p) * beta;  // eq 12
  EXPECT_NEAR(hsumma_seconds({alpha, beta}, van_de_geijn, {n, p, b, b}, std::sqrt(p)).total(),
              expected, 1e-9 * expected);
}

// Equations 6 to 8: for every broadcast there is an extremum at G = √p, and the slope is that of T.
TEST(HierarchicalCosts, TheSlopeIsZeroAtTheRootOfTheRanksForAnyBroadcast) {
  const GroupedProduct square{.n = 1024, .ranks = 4096, .inner_block = 16, .outer_block = 16};
  const Hockney given{.alpha = 20, .beta = 1};
  for (const BroadcastKind kind : broadcast_kinds()) {
    const BroadcastModel broadcast{kind, 4};
    const auto total = [&](double groups) {
      return hsumma_seconds(given, broadcast, square, groups).total();
    };
    EXPECT_NEAR(hsumma_slope(given, broadcast, square, 64), 0, 1e-6 * total(64));
    for (const double groups : {8.0, 32.0, 200.0, 1000.0}) {
      const double step = 1e-4 * groups;
      EXPECT_NEAR(hsumma_slope(given, broadcast, square, groups),
                  (total(groups + step) - total(groups - step)) / (2 * step), 1e-6 * total(groups))
          << to_string(kind) << " " << groups;
    }
  }
  // Equation 9, van de Geijn's.
  const double groups = 100, n = 1024, b = 16, p = 4096;
  const double expected = (groups - std::sqrt(p)) / (groups * std::sqrt(groups)) *
                          (n * given.alpha / b - 2 * n * n * given.beta / p);
  EXPECT_NEAR(hsumma_slope(given, van_de_geijn, square, groups), expected,
              1e-6 * std::abs(expected));
}

TEST(HierarchicalCosts, NoCandidatesAreRefused) {
  EXPECT_THROW(best_groups(network, binomial, product, {}), Error);
}

// Where groups pay most, a third level gains a fiftieth; where they pay less, it costs.
TEST(HierarchicalCosts, MoreThanTwoLevelsHardlyPay) {
  const BroadcastModel van_de_geijn{BroadcastKind::van_de_geijn};
  const auto seconds = [&](const char* machine, const GroupedProduct& product, int levels) {
    return hsumma_seconds_of_levels(hockney(find_machine(machine)->between_nodes), van_de_geijn,
                                    product, levels);
  };
  const GroupedProduct exascale{1 << 22, 1 << 20, 256, 256};
  const GroupedProduct blue_gene{65536, 16384, 256, 256};
  const Hockney network = hockney(find_machine("exascale-hsumma")->between_nodes);
  EXPECT_NEAR(seconds("exascale-hsumma", exascale, 1),
              summa_seconds(network, van_de_geijn, exascale).total(), 1e-9);
  EXPECT_NEAR(seconds("exascale-hsumma", exascale, 2),
              hsumma_seconds(network, van_de_geijn, exascale, 1024).total(), 1e-9);
  const double gain =
      seconds("exascale-hsumma", exascale, 2) / seconds("exascale-hsumma", exascale, 3);
  EXPECT_GT(gain, 1);
  EXPECT_LT(gain, 1.03);
  EXPECT_GT(seconds("bgp-hsumma", blue_gene, 3), 1.2 * seconds("bgp-hsumma", blue_gene, 2));
}

}  // namespace hierarchical_costs_test
}  // namespace cuboid::detail
