// What is planned for a factorisation, and that what is sent is what the model says.

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>
#include <cuboid/multiply.hpp>

#include "mm/lu/factorise_plan.hpp"
#include "mm/lu/lu_outcome.hpp"
#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/sent_as_modelled.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace lu_plan_test {

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

TEST(LuPlan, PartialPivotingAvoidsAMessagePerColumnWhereRanksShareCores) {
  FactoriseRequest request = request_for(2000, 8);
  request.rates.network = {1e-7, 1e-10};
  request.rates.ranks_per_core = 4;
  const FactoriseOptions partial{.pivoting = Pivoting::partial, .layers = 1};
  FactoriseOptions on_rows = partial;
  on_rows.grid = GridShape(8, 1);
  const auto seconds = [&] { return plan_factorisation(request, on_rows).seconds.total(); };
  const double without = seconds();
  request.rates.seconds_of_turns = 1e-4;
  // 2000 columns, up a tree of three steps and down; the cores have some of that time for updates.
  EXPECT_GT(seconds(), without + 1);
  EXPECT_LT(seconds(), without + 2000 * 2 * 3 * 1e-4 + 0.01);
  EXPECT_EQ(plan_factorisation(request, partial).grid.rows(), 1);
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

struct LayeredShape {
  int rows, columns, layers;
  int ranks() const { return rows * columns * layers; }
};
constexpr LayeredShape layered_shapes[] = {{1, 2, 1}, {2, 1, 1}, {3, 2, 1}, {2, 2, 1},
                                           {2, 2, 2}, {4, 4, 1}, {2, 2, 4}, {2, 3, 2}};
constexpr std::pair<const char*, CommunicationCost LuCommunication::*> lu_steps[] = {
    {"panel", &LuCommunication::panel},
    {"multicast", &LuCommunication::multicast},
    {"rows", &LuCommunication::rows},
    {"interchange", &LuCommunication::interchange}};

TEST(LuPlan, RanksSendWhatTheModelSays) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  // A tournament's rows, and a pivot's.
  const Environment environment =
      modelled_algorithms("allreduce:512-:recursive_doubling,allreduce:binomial");
  for (const LayeredShape shape : layered_shapes) {
    for (const Pivoting pivoting : {Pivoting::none, Pivoting::tournament, Pivoting::partial}) {
      run_ranks(
          shape.ranks(),
          [&](Communicator& communicator) {
            constexpr std::int64_t size = 384;
            // Pivots are where luck has it, which the mean of some matrices evens out.
            const int matrices = pivoting == Pivoting::none ? 1 : 4;
            LuCommunication sent, expected;
            for (int matrix = 0; matrix < matrices; ++matrix) {
              Matrix<double> A(communicator,
                               Layout::block(size, size, GridShape(1, communicator.size())));
              A.fill_random(static_cast<std::uint64_t>(matrix));
              const auto factors = factorise(A, kernels,
                                             {.pivoting = pivoting,
                                              .grid = GridShape(shape.rows, shape.columns),
                                              .layers = shape.layers,
                                              .block = 16});
              expected = factors.plan().communication;
              for (const auto& [name, step] : lu_steps) {
                (sent.*step).words += (factors.traffic().*step).words;
                (sent.*step).messages += (factors.traffic().*step).messages;
              }
            }
            for (const auto& [name, step] : lu_steps) {
              require_as_modelled(communicator,
                                  fmt::format("{}x{}x{}, {}, {}", shape.rows, shape.columns,
                                              shape.layers, to_string(pivoting), name),
                                  sent.*step, expected.*step, matrices);
            }
          },
          environment);
    }
  }
}

TEST(CholeskyPlan, RanksSendWhatTheModelSays) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  for (const LayeredShape shape : layered_shapes) {
    run_ranks(
        shape.ranks(),
        [&](Communicator& communicator) {
          constexpr std::int64_t size = 384;
          Matrix<double> A(communicator,
                           Layout::block(size, size, GridShape(1, communicator.size())));
          A.fill([](Global<Row> i, Global<Column> j) {
            return i.value == j.value ? 2.0 * size : 1.0;
          });
          const auto factors = cholesky(
              A, kernels,
              {.grid = GridShape(shape.rows, shape.columns), .layers = shape.layers, .block = 16});
          for (const auto& [name, step] : lu_steps) {
            require_as_modelled(
                communicator,
                fmt::format("{}x{}x{}, {}", shape.rows, shape.columns, shape.layers, name),
                factors.traffic().*step, factors.plan().communication.*step);
          }
        },
        modelled_algorithms("allreduce:binomial"));
  }
}

}  // namespace lu_plan_test
}  // namespace cuboid::detail
