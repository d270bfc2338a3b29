#include "models/messages/hockney.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

// Powers of two, so that the expected values are exact.
constexpr Hockney network{.alpha = 8, .beta = 0.25};
constexpr std::size_t megabyte = 1 << 20;

using Seconds = std::function<double(const Hockney&, int ranks, std::size_t bytes)>;
struct Formula {
  const char* name;
  Seconds seconds;
  friend void PrintTo(const Formula& formula, std::ostream* out) { *out << formula.name; }
};

// In one segment: with more, a few bytes more can make one segment more, and that be cheaper.
double whole_chain_seconds(const Hockney& given, int ranks, std::size_t bytes) {
  return pipelined_chain_seconds(given, ranks, bytes, std::size_t{1} << 40);
}

const std::vector<Formula>& formulas() {
  static const std::vector<Formula> all = {{"binomial", binomial_seconds},
                                           {"flat", flat_seconds},
                                           {"chain", whole_chain_seconds},
                                           {"recursive_doubling", recursive_doubling_seconds},
                                           {"dissemination", dissemination_allgather_seconds},
                                           {"ring", ring_seconds}};
  return all;
}

class EveryFormula : public testing::TestWithParam<Formula> {};
INSTANTIATE_TEST_SUITE_P(Hockney, EveryFormula, testing::ValuesIn(formulas()));

TEST_P(EveryFormula, OneRankNeedsNoTime) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, megabyte})
    EXPECT_EQ(GetParam().seconds(network, 1, bytes), 0) << bytes;
}

TEST_P(EveryFormula, WithoutBytesOnlyLatencyIsLeft) {
  for (int ranks = 2; ranks <= 70; ++ranks) {
    const double seconds = GetParam().seconds(network, ranks, 0);
    EXPECT_EQ(seconds, GetParam().seconds({.alpha = network.alpha, .beta = 1000}, ranks, 0));
    EXPECT_GE(seconds, network.alpha * std::ceil(std::log2(ranks))) << ranks;
    EXPECT_LE(seconds, network.alpha * (ranks + 2)) << ranks;
  }
}

TEST_P(EveryFormula, NeverLessForMoreBytes) {
  for (const int ranks : {2, 3, 8, 13}) {
    double before = 0;
    for (std::size_t bytes = 0; bytes < 10 * 1024; bytes += 100) {
      const double seconds = GetParam().seconds(network, ranks, bytes);
      EXPECT_GE(seconds, before) << ranks << " ranks, " << bytes << " bytes";
      before = seconds;
    }
  }
}

TEST_P(EveryFormula, NeverLessOnASlowerNetwork) {
  for (const int ranks : {2, 3, 8, 13}) {
    const double seconds = GetParam().seconds(network, ranks, megabyte);
    EXPECT_GT(GetParam().seconds({2 * network.alpha, network.beta}, ranks, megabyte), seconds);
    EXPECT_GT(GetParam().seconds({network.alpha, 2 * network.beta}, ranks, megabyte), seconds);
    EXPECT_DOUBLE_EQ(GetParam().seconds({2 * network.alpha, 2 * network.beta}, ranks, megabyte),
                     2 * seconds);
  }
}

TEST_P(EveryFormula, NoCollectiveBeatsTheNetworkItRunsOn) {
  // Somebody must at least receive the part of the message that it does not have.
  for (int ranks = 2; ranks <= 70; ++ranks) {
    const double least = network.beta * static_cast<double>(megabyte) * (ranks - 1.0) / ranks;
    EXPECT_GE(GetParam().seconds(network, ranks, megabyte), least) << ranks;
  }
}

TEST(Hockney, Binomial) {
  EXPECT_EQ(binomial_seconds(network, 2, 16), 12);  // 1 · (8 + 4)
  EXPECT_EQ(binomial_seconds(network, 3, 16), 24);  // 2 · 12
  EXPECT_EQ(binomial_seconds(network, 4, 16), 24);
  EXPECT_EQ(binomial_seconds(network, 5, 16), 36);
  EXPECT_EQ(binomial_seconds(network, 1024, 16), 120);
  EXPECT_EQ(binomial_seconds(network, 1025, 16), 132);
}

TEST(Hockney, Flat) {
  EXPECT_EQ(flat_seconds(network, 2, 16), 12);
  EXPECT_EQ(flat_seconds(network, 5, 16), 48);  // 4 · (8 + 4)
}

TEST(Hockney, PipelinedChain) {
  EXPECT_EQ(pipelined_chain_seconds(network, 4, 64, 16), 72);    // (2 + 4) · (8 + 4)
  EXPECT_EQ(pipelined_chain_seconds(network, 4, 64, 64), 72);    // (2 + 1) · (8 + 16)
  EXPECT_EQ(pipelined_chain_seconds(network, 4, 64, 1000), 72);  // never more than the message
  EXPECT_EQ(pipelined_chain_seconds(network, 2, 64, 64), 24);
  EXPECT_EQ(pipelined_chain_seconds(network, 6, 80, 64), 108);  // (4 + 2) · (8 + 10)
  EXPECT_EQ(pipelined_chain_seconds(network, 6, 0, 64), 40);    // (4 + 1) · 8
}

TEST(Hockney, PipelinedChainGrowsWithWholeSegments) {
  for (const int ranks : {2, 3, 8, 13}) {
    double before = 0;
    for (std::size_t segments = 1; segments < 100; ++segments) {
      const double seconds = pipelined_chain_seconds(network, ranks, segments * 1024, 1024);
      EXPECT_GT(seconds, before);
      before = seconds;
    }
  }
}

TEST(Hockney, RecursiveDoubling) {
  EXPECT_EQ(recursive_doubling_seconds(network, 2, 16), 12);
  EXPECT_EQ(recursive_doubling_seconds(network, 8, 16), 36);
  EXPECT_EQ(recursive_doubling_seconds(network, 3, 16), 36);  // (1 + 2) · 12
  EXPECT_EQ(recursive_doubling_seconds(network, 9, 16), 60);  // (3 + 2) · 12
  EXPECT_EQ(recursive_doubling_seconds(network, 15, 16), 60);
}

TEST(Hockney, DisseminationAllgather) {
  EXPECT_EQ(dissemination_allgather_seconds(network, 2, 64), 16);         // 8 + 1/2 · 16
  EXPECT_EQ(dissemination_allgather_seconds(network, 4, 64), 28);         // 16 + 3/4 · 16
  EXPECT_DOUBLE_EQ(dissemination_allgather_seconds(network, 5, 80), 40);  // 24 + 4/5 · 20
}

TEST(Hockney, Ring) {
  EXPECT_EQ(ring_seconds(network, 2, 64), 16);         // 1 · (8 + 8)
  EXPECT_EQ(ring_seconds(network, 4, 64), 36);         // 3 · (8 + 4)
  EXPECT_DOUBLE_EQ(ring_seconds(network, 5, 80), 48);  // 4 · (8 + 4)
}

TEST(Hockney, LongMessagesGoRoundRingsShortOnesUpTrees) {
  constexpr Hockney ethernet{.alpha = 30e-6, .beta = 1e-8};
  EXPECT_LT(binomial_seconds(ethernet, 16, 8), ring_seconds(ethernet, 16, 8));
  EXPECT_GT(binomial_seconds(ethernet, 16, 16 * megabyte),
            ring_seconds(ethernet, 16, 16 * megabyte));
}

TEST(Hockney, BestChainSegmentIsBest) {
  for (const Hockney& given : {Hockney{1e-6, 1 / 5e9}, Hockney{30e-6, 1e-8}, Hockney{1, 1}}) {
    for (const int ranks : {2, 3, 4, 8, 16, 60}) {
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, megabyte, 10 * megabyte}) {
        const std::size_t best = best_chain_segment(given, ranks, bytes);
        ASSERT_GE(best, 1U);
        ASSERT_LE(best, bytes);
        const double seconds = pipelined_chain_seconds(given, ranks, bytes, best);
        // A scan over segment counts: whole segments only, which the formula for the best is not
        // bound to.
        double least = seconds;
        for (std::size_t segments = 1; segments <= std::min<std::size_t>(bytes, 20000);
             ++segments) {
          const std::size_t segment = (bytes + segments - 1) / segments;
          least = std::min(least, pipelined_chain_seconds(given, ranks, bytes, segment));
        }
        EXPECT_LE(seconds, 1.02 * least) << ranks << " ranks, " << bytes << " bytes";
      }
    }
  }
}

TEST(Hockney, PipelinedTreesShareTheMessage) {
  // 2 trees of depth 3, 64 bytes each in 4 segments: (4 + 2) · (8 + 4)
  EXPECT_EQ(pipelined_trees_seconds(network, 2, 3, 128, 16), 72);
  EXPECT_EQ(pipelined_trees_seconds(network, 1, 3, 64, 16),
            pipelined_chain_seconds(network, 4, 64, 16));
  EXPECT_EQ(pipelined_trees_seconds(network, 3, 1, 0, 16), 8);
  EXPECT_EQ(best_tree_segment(network, 1, 7, 5000), best_chain_segment(network, 8, 5000));
  // Each tree cuts its own slice, as it would the whole of a message that short.
  EXPECT_EQ(best_tree_segment(network, 4, 9, 4096), best_tree_segment(network, 1, 9, 1024));
}

TEST(Hockney, PipelinedTreePaysForEveryChild) {
  // 4 segments: (5 + 3 · 2) · (8 + 4)
  EXPECT_EQ(pipelined_tree_seconds(network, {.first = 5, .gap = 2}, 64, 16), 132);
  EXPECT_EQ(pipelined_tree_seconds(network, {.first = 3, .gap = 3}, 16, 64),
            binomial_seconds(network, 8, 16));
  EXPECT_EQ(pipelined_tree_seconds(network, {.first = 4, .gap = 4}, 16, 64),
            flat_seconds(network, 5, 16));
  // Where every step is the root's, segments gain nothing.
  EXPECT_EQ(best_segment(network, {.first = 4, .gap = 4}, 5000), 5000U);
  EXPECT_EQ(best_segment(network, {.first = 10, .gap = 2}, 1024), 94U);  // s = √(8·0.25·1024/16)
}

TEST(Hockney, ScatterAllgather) {
  EXPECT_EQ(scatter_allgather_seconds(network, 4, 64), 56);  // 2 · (16 + 3/4 · 16)
}

TEST(Hockney, BestChainSegmentAtItsLimits) {
  EXPECT_EQ(best_chain_segment(network, 8, 0), 1U);        // at least one byte
  EXPECT_EQ(best_chain_segment(network, 2, 1000), 1000U);  // no one to pipeline through
  EXPECT_EQ(best_chain_segment(network, 1, 1000), 1000U);
  EXPECT_EQ(best_chain_segment({1e9, 1e-9}, 8, 1000), 1000U);  // messages are all that costs
  EXPECT_EQ(best_chain_segment({1e-9, 1e9}, 8, 1000), 1U);     // bytes are all that costs
  // Without latency segments cost nothing, and gain nothing where the first is as late as others.
  EXPECT_EQ(best_chain_segment({0, 1e-9}, 8, 1000), 1U);
  EXPECT_EQ(best_segment({0, 1e-9}, {.first = 4, .gap = 4}, 1000), 1000U);
  EXPECT_EQ(best_chain_segment({0, 0}, 8, 1000), 1000U);
  EXPECT_EQ(best_chain_segment({0, 0}, 8, 0), 1U);
  EXPECT_EQ(best_chain_segment(network, 10, 1024), 64U);  // s = √(8·0.25·1024/8) = 16
}

}  // namespace
}  // namespace cuboid::detail
