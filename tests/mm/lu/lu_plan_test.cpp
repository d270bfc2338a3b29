// What is planned for a factorisation, and that what is sent is what the model says.

#include <cuboid/allreduce.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>
#include <cuboid/multiply.hpp>

#include "mm/lu/factorise_plan.hpp"
#include "mm/lu/lu_outcome.hpp"
#include "tests/collectives/on_ranks.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

FactoriseRequest request_for(std::int64_t size, int ranks) {
  return {.m = size, .n = size, .ranks = ranks, .rates = {.network = {1e-5, 1e-9}}};
}

TEST(LuPlan, HeedsWhatIsFixed) {
  const auto plan = plan_factorisation(request_for(1000, 16),
                                       {.grid = GridShape(2, 4), .layers = 2, .block = 24});
  EXPECT_EQ(plan.grid.rows(), 2);
  EXPECT_EQ(plan.grid.columns(), 4);
  EXPECT_EQ(plan.grid.layers(), 2);
  EXPECT_EQ(plan.block, 24);
  for (const auto& one : factorise_candidates(request_for(1000, 16), {.layers = 4}))
    EXPECT_EQ(one.grid.layers(), 4);
}

TEST(LuPlan, TheSoonestDoneComesFirstAndFits) {
  const auto all = factorise_candidates(request_for(3000, 12), {});
  ASSERT_GT(all.size(), 10U);
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_LE(all[i - 1].seconds.total(), all[i].seconds.total());
  const std::int64_t limit = all.front().memory_bytes - 1;
  const auto within = plan_factorisation(request_for(3000, 12), {.memory_limit = limit});
  EXPECT_LE(within.memory_bytes, limit);
  EXPECT_THROW(plan_factorisation(request_for(3000, 12), {.memory_limit = 1000}), Error);
}

TEST(LuPlan, TheSoonestAreThoseOfAll) {
  for (const FactorisationKind kind : {FactorisationKind::lu, FactorisationKind::cholesky}) {
    for (const std::int64_t size : {100, 5000, 200'000}) {
      for (const int ranks : {1, 12, 64, 500}) {
        FactoriseRequest request = request_for(size, ranks);
        request.kind = kind;
        const auto all = factorise_candidates(request, {});
        for (const std::int64_t limit : {all.front().memory_bytes - 1, std::int64_t{1} << 60}) {
          const FactoriseOptions options{.memory_limit = limit};
          const auto expected = factorise_candidates(request, options);
          const SoonestPlans soonest = soonest_plans(request, options, 5);
          EXPECT_EQ(soonest.candidates, expected.size());
          std::set<int> layers;
          std::size_t next = 0;
          for (const FactorisePlan& plan : expected) {
            const bool is_new = layers.insert(plan.grid.layers()).second;
            if (next >= 5 && !is_new) continue;
            ASSERT_LT(next, soonest.plans.size());
            const FactorisePlan& got = soonest.plans[next++];
            EXPECT_EQ(got.grid, plan.grid);
            EXPECT_EQ(got.block, plan.block);
            EXPECT_EQ(got.seconds.total(), plan.seconds.total());
            EXPECT_EQ(got.communication.total().words, plan.communication.total().words);
          }
          EXPECT_EQ(next, soonest.plans.size());
        }
      }
    }
  }
}

TEST(LuPlan, AnySizeAndNumberOfRanksHasOne) {
  for (const std::int64_t size : {0, 1, 2, 17, 300}) {
    for (const int ranks : {1, 2, 3, 5, 7, 8, 13, 64}) {
      const auto plan = plan_factorisation(request_for(size, ranks), {});
      EXPECT_LE(plan.grid.size(), ranks);
      EXPECT_GE(plan.block, 1);
      EXPECT_NO_THROW(factorisation_layout(size, size, plan));
    }
  }
}

TEST(LuPlan, SizesAndBlocksBeyondAllMeasureArePlannedOrRefused) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t block : {std::int64_t{1} << 62, most})
    EXPECT_EQ(plan_factorisation(request_for(100, 4), {.block = block}).block, 100);
  for (const std::int64_t size : {std::int64_t{10'000'000'000}, std::int64_t{1} << 44}) {
    EXPECT_GT(plan_factorisation(request_for(size, 4), {}).memory_bytes, std::int64_t{1} << 60);
    require_error([&] { plan_factorisation(request_for(size, 4), {.memory_limit = most / 4}); },
                  ErrorCode::out_of_memory, {"at least"});
  }
  for (const std::int64_t size : {(std::int64_t{1} << 44) + 1, most}) {
    require_error([&] { plan_factorisation(request_for(size, 4), {}); },
                  ErrorCode::invalid_argument, {"at most"});
  }
}

TEST(LuPlan, AGridLaidOnATorusFactorisesAndSolves) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  constexpr std::int64_t size = 70;
  FactoriseRequest request = request_for(size, 16);
  // Two ranks on each node, far apart in number.
  request.placement = Placement::round_robin({Shape::torus(std::array{2, 2, 2}), {}}, 2);
  bool listed = false;
  for (const FactorisePlan& plan : factorise_candidates(request, {.block = 8})) {
    listed = listed || factorisation_layout(size, size, plan).grid().is_listed();
    run_ranks(16, [&](Communicator& communicator) {
      Matrix<double> A(communicator, Layout::block(size, size, GridShape(4, 4)));
      A.fill_random(9);
      const auto factors = factorise_on_plan(A, kernels, plan, Pivoting::tournament);
      for (const Op op : {Op::none, Op::transpose}) {
        // op(A)·1 has the solution 1.
        Matrix<double> ones(communicator, Layout::block(size, 1, GridShape(16, 1)));
        Matrix<double> B(communicator, ones.layout());
        ones.fill([](Global<Row>, Global<Column>) { return 1.0; });
        multiply<double>(1.0, {op, A}, ones, 0.0, B, kernels.gemm);
        factors.solve(B, op);
        for (std::int64_t i = 0; i < B.local_rows(); ++i) {
          require(std::abs(B.local()(i, 0) - 1) < 1e-9, "{} layers: {}", plan.grid.layers(),
                  B.local()(i, 0));
        }
      }
    });
  }
  EXPECT_TRUE(listed);
}

TEST(LuPlan, RanksSendWhatTheModelSays) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  constexpr std::int64_t size = 384;
  // A tournament's rows and a pivot's as the model has them; within a node others may be quicker.
  Environment environment = Environment::read();
  environment.algorithm = "allreduce:512-:recursive_doubling,allreduce:binomial";
  struct Shape {
    int rows, columns, layers;
  };
  for (const Shape shape : {Shape{1, 2, 1}, {2, 2, 1}, {2, 2, 2}, {4, 4, 1}, {2, 2, 4}}) {
    const int ranks = shape.rows * shape.columns * shape.layers;
    for (const Pivoting pivoting : {Pivoting::none, Pivoting::tournament, Pivoting::partial}) {
      run_ranks(
          ranks,
          [&](Communicator& communicator) {
            Matrix<double> A(communicator, Layout::block(size, size, GridShape(1, ranks)));
            A.fill_random(5);
            const auto factors = factorise(A, kernels,
                                           {.pivoting = pivoting,
                                            .grid = GridShape(shape.rows, shape.columns),
                                            .layers = shape.layers,
                                            .block = 16});
            const LuCommunication& sent = factors.traffic();
            const LuCommunication& expected = factors.plan().communication;
            const auto compare = [&](const char* step, double words, double by_model,
                                     double within) {
              allreduce(communicator, std::span(&words, 1), std::span(&words, 1),
                        Reduction::Kind::sum);
              const double mean = words / ranks;
              // And what headers add.
              require(mean <= within * by_model + 200 && mean >= by_model / within - 200,
                      "{}x{}x{}, {}, {}: {} words instead of {}", shape.rows, shape.columns,
                      shape.layers, to_string(pivoting), step, mean, by_model);
            };
            // Pivots are where luck has it, which shows most in few rows.
            constexpr double of_a_step = 1.15, of_all = 1.1;
            compare("panel", sent.panel.words, expected.panel.words, of_a_step);
            compare("rows", sent.rows.words, expected.rows.words, of_a_step);
            compare("interchange", sent.interchange.words, expected.interchange.words, of_a_step);
            compare("all", sent.total().words, expected.total().words, of_all);
          },
          environment);
    }
  }
}

TEST(CholeskyPlan, RanksSendWhatTheModelSays) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  constexpr std::int64_t size = 384;
  struct Shape {
    int rows, columns, layers;
  };
  for (const Shape shape :
       {Shape{1, 2, 1}, {2, 1, 1}, {3, 2, 1}, {2, 2, 2}, {4, 4, 1}, {2, 2, 4}}) {
    const int ranks = shape.rows * shape.columns * shape.layers;
    run_ranks(ranks, [&](Communicator& communicator) {
      Matrix<double> A(communicator, Layout::block(size, size, GridShape(1, ranks)));
      A.fill([size](Global<Row> i, Global<Column> j) {
        return i.value == j.value ? 2.0 * size : 1.0;
      });
      const auto factors = cholesky(
          A, kernels,
          {.grid = GridShape(shape.rows, shape.columns), .layers = shape.layers, .block = 16});
      const LuCommunication& sent = factors.traffic();
      const LuCommunication& expected = factors.plan().communication;
      const auto compare = [&](const char* step, double words, double by_model) {
        allreduce(communicator, std::span(&words, 1), std::span(&words, 1), Reduction::Kind::sum);
        const double mean = words / ranks;
        // And what headers add.
        require(mean <= 1.1 * by_model + 200 && mean >= by_model / 1.1 - 200,
                "{}x{}x{}, {}: {} words instead of {}", shape.rows, shape.columns, shape.layers,
                step, mean, by_model);
      };
      compare("panel", sent.panel.words, expected.panel.words);
      compare("multicast", sent.multicast.words, expected.multicast.words);
      compare("rows", sent.rows.words, 0);
    });
  }
}

}  // namespace
}  // namespace cuboid::detail
