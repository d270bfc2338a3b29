// Plans of QR, and whether ranks send what the model says.

#include "mm/qr/qr_plan.hpp"

#include <cuboid/communicator.hpp>
#include <cuboid/qr.hpp>

#include "mm/qr/qr_outcome.hpp"
#include "tests/mm/sent_as_modelled.hpp"

#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace qr_plan_test {

FactoriseRequest request_of(std::int64_t m, std::int64_t n, int ranks) {
  FactoriseRequest request{.m = m, .n = n, .ranks = ranks};
  request.rates.network = {1e-6, 1e-10};
  return request;
}

TEST(QrPlan, ATallMatrixHasOneProcessColumn) {
  const QrPlan plan = plan_qr(request_of(1'000'000, 50, 16), {});
  EXPECT_EQ(plan.grid, GridShape(16, 1));
}

TEST(QrPlan, ASquareMatrixHasAGrid) {
  const QrPlan plan = plan_qr(request_of(16384, 16384, 16), {});
  EXPECT_GT(plan.grid.columns(), 1);
  EXPECT_LT(plan.block, 512);
  EXPECT_GE(plan.communication.total().words,
            qr_least_words(16384, 16384, 16, static_cast<double>(plan.memory_bytes) / 8));
}

TEST(QrPlan, SomeWordsMustBeSentButNoMoreThanAre) {
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{8192, 8192},
                             {1000, 1000},
                             {1'000'000, 50},
                             {100'000, 2000},
                             {2000, 100'000},
                             {300, 7},
                             {5, 5}}) {
    EXPECT_EQ(qr_least_words(static_cast<double>(m), static_cast<double>(n), 1, 1e9), 0);
    for (const int ranks : {2, 3, 4, 7, 16, 64, 256}) {
      const QrPlan plan = plan_qr(request_of(m, n, ranks), {});
      const int used = plan.grid.size();
      if (used == 1) continue;
      const double least = qr_least_words(static_cast<double>(m), static_cast<double>(n), used,
                                          static_cast<double>(plan.memory_bytes) / 8);
      EXPECT_GT(least, 0) << m << "x" << n << " on " << used << " of " << ranks << " ranks";
      EXPECT_LE(least, plan.communication.total().words)
          << m << "x" << n << " on " << used << " of " << ranks << " ranks";
    }
  }
}

TEST(QrPlan, OptionsAndTheMemoryLimitAreHeeded) {
  const FactoriseRequest request = request_of(4096, 4096, 6);
  const QrPlan plan = plan_qr(request, {.grid = GridShape(3, 2), .block = 7});
  EXPECT_EQ(plan.grid, GridShape(3, 2));
  EXPECT_EQ(plan.block, 7);
  const std::int64_t limit = 8 * 4096 * 4096 / 6 * 5 / 4;
  EXPECT_LE(plan_qr(request, {.memory_limit = limit}).memory_bytes, limit);
}

TEST(QrPlan, RanksSendWhatTheModelSays) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  const Environment environment = modelled_algorithms("allreduce:halving_doubling");
  struct Problem {
    std::int64_t m, n;
    int rows, columns;
  };
  for (const Problem one : {Problem{384, 384, 1, 2},
                            {384, 384, 2, 1},
                            {384, 384, 2, 2},
                            {384, 384, 2, 3},
                            {512, 256, 4, 2},
                            {400, 300, 3, 2},
                            {384, 384, 4, 4},
                            {2048, 16, 8, 1},
                            {128, 512, 2, 4}}) {
    run_ranks(
        one.rows * one.columns,
        [&](Communicator& communicator) {
          Matrix<double> A(communicator,
                           Layout::block(one.m, one.n, GridShape(1, communicator.size())));
          A.fill_random(5);
          const auto factors =
              qr(A, kernels, {.grid = GridShape(one.rows, one.columns), .block = 16});
          const QrCommunication& sent = factors.traffic();
          const QrCommunication& expected = factors.plan().communication;
          const auto compare = [&](const char* step, const CommunicationCost& its_sent,
                                   const CommunicationCost& its_expected) {
            require_as_modelled(
                communicator,
                fmt::format("{}x{} on {}x{}, {}", one.m, one.n, one.rows, one.columns, step),
                its_sent, its_expected);
          };
          compare("panel", sent.panel, expected.panel);
          compare("multicast", sent.multicast, expected.multicast);
          compare("sums", sent.sums, expected.sums);
        },
        environment);
  }
}

}  // namespace qr_plan_test
}  // namespace cuboid::detail
