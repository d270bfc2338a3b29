#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/multiply.hpp>

#include "mm/multiply/make_multiplication.hpp"
#include "mm/multiply/plan_request.hpp"
#include "tests/mm/multiply/any_multiplication.hpp"
#include "tests/mm/random_products.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

namespace cuboid::detail {
namespace multiply_test {

using test::CaseSource;
using test::Product;
using test::seed_a;
using test::seed_b;
using test::seed_c;
using test::wrong_elements;

class MultiplyOnRanks : public testing::TestWithParam<int> {};

TEST_P(MultiplyOnRanks, agrees_with_sums_written_out) {
  test::for_every_type_and_op(GetParam(), 0, []<class T>(auto&&... arguments) {
    test::multiply_drawn_case<T>(arguments...);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, MultiplyOnRanks, test::rank_counts);

/// A, B and C in blocks on the chosen grid, with a random A and B.
struct Square {
  Square(const Communicator& communicator, std::int64_t n, const GridShape& grid)
      : layout(Layout::block(n, n, grid)),
        A(communicator, layout),
        B(communicator, layout),
        C(communicator, layout) {
    A.fill_random(seed_a);
    B.fill_random(seed_b);
    C.fill_random(seed_c);
  }

  Layout layout;
  Matrix<double> A, B, C;
};

TEST(Multiply, factors_that_are_not_finite_act_as_in_blas) {
  run_ranks(4, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    Square x(communicator, 20, GridShape(2, 2));
    const auto all = [&](const auto& holds) {
      bool result = true;
      test::for_each_element(x.C, [&](auto, auto, double value) { result &= holds(value); });
      return result;
    };
    multiply(nan, x.A, x.B, 0.0, x.C, gemm);
    EXPECT_TRUE(all([](double value) { return std::isnan(value); }));
    multiply(0.0, x.A, x.B, 0.0, x.C, gemm);
    EXPECT_TRUE(all([](double value) { return value == 0; }));
    x.C.fill([](auto, auto) { return 1.0; });
    multiply(1.0, x.A, x.B, infinity, x.C, gemm);
    EXPECT_TRUE(all([&](double value) { return value == infinity; }));
    multiply(1.0, x.A, x.B, nan, x.C, gemm);
    EXPECT_TRUE(all([](double value) { return std::isnan(value); }));
    // α = 0 does not read A and B, β = 0 does not read C.
    x.A.fill([&](auto, auto) { return nan; });
    multiply(0.0, x.A, x.B, 0.0, x.C, gemm);
    EXPECT_TRUE(all([](double value) { return value == 0; }));
  });
}

TEST(Multiply, equal_calls_are_planned_once) {
  run_ranks(4, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    Square x(communicator, 20, GridShape(2, 2));
    const Report first = multiply(1.0, x.A, x.B, 0.0, x.C, gemm);
    const Report other = multiply(1.0, x.A, x.B, 0.0, x.C, gemm, {.panel_width = 5});
    const Report transposed = multiply(1.0, transpose(x.A), x.B, 0.0, x.C, gemm);
    const Report again = multiply(2.0, x.A, x.B, 1.0, x.C, gemm);
    EXPECT_EQ(again.plan, first.plan);
    EXPECT_NE(other.plan, first.plan);
    EXPECT_NE(transposed.plan, first.plan);
  });
}

TEST(Multiply, panels_of_fitting_operands_are_sent_once_and_nothing_else) {
  run_ranks(4, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    Square x(communicator, 512, GridShape(2, 2));
    const Traffic before = communicator.traffic();
    multiply(1.0, x.A, x.B, 0.0, x.C, gemm,
             {.algorithm = MultiplicationAlgorithm::summa, .panel_width = 32});
    // Each rank lacks half of its rows of A and half of its columns of B; agreeing on memory and
    // splitting rows and columns take some small messages.
    const std::uint64_t panels = 2 * 256 * 256 * sizeof(double);
    const std::uint64_t received = (communicator.traffic() - before).bytes_received;
    EXPECT_GE(received, panels);
    EXPECT_LT(received, panels + panels / 50);
  });
}

TEST(Multiply, reports_what_it_did) {
  run_ranks(6, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    Square x(communicator, 50, GridShape(2, 3));
    const MultiplyOptions options{.algorithm = MultiplicationAlgorithm::summa, .panel_width = 16};
    const Report report = multiply(1.0, x.A, transpose(x.B), 0.0, x.C, gemm, options);
    EXPECT_EQ(report.algorithm, "summa");
    EXPECT_EQ(report.plan->grid, GridShape(2, 3));
    EXPECT_EQ(report.plan->panel_width, 16);
    EXPECT_GT(report.plan->seconds, 0);
    EXPECT_GT(report.seconds.gemm, 0);
    EXPECT_GT(report.seconds.distribute, 0);
    EXPECT_EQ(multiply(0.0, x.A, x.B, 1.0, x.C, gemm).algorithm, "scale");
    // C on one rank of six: multiplied on all.
    Matrix<double> gathered(communicator, Layout::single(50, 50));
    const Report spread = multiply(1.0, x.A, x.B, 0.0, gathered, gemm, options);
    EXPECT_EQ(spread.plan->grid.size(), 6);
  });
}

TEST(Multiply, a_plan_serves_again_and_again_and_only_its_layouts) {
  run_ranks(4, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    Square x(communicator, 60, GridShape(2, 2));
    for (const auto algorithm : multiplication_algorithms()) {
      MultiplicationPlan<double> plan(communicator,
                                      {x.layout, Op::none, x.layout, Op::transpose, x.layout}, gemm,
                                      {.algorithm = algorithm});
      EXPECT_EQ(plan.chosen().algorithm, algorithm);
      for (const double beta : {0.0, 1.0, -0.5}) {
        x.C.fill_random(seed_c);
        plan.run(2.0, x.A, x.B, beta, x.C);
        const Product<double> product{60, 60, 60, Op::none, Op::transpose, 2.0, beta};
        EXPECT_EQ(wrong_elements(product, x.C), 0) << to_string(algorithm);
      }
      Matrix<double> other(communicator, Layout::single(60, 60));
      EXPECT_THROW(plan.run(1.0, x.A, x.B, 0.0, other), Error);
    }
  });
}

TEST(Multiply, ranks_outside_the_grid_wait_for_longer_than_the_timeout) {
  using namespace std::chrono_literals;
  Environment environment = Environment::read();
  environment.timeout = 1s;
  const auto multiply_slowly = [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    const GridShape one(1, 1);
    Square x(communicator, 40, one);
    using enum MultiplicationAlgorithm;
    for (const auto algorithm :
         {summa, hsumma, cannon, sd_cannon, srumma, two_and_a_half_d, cosma}) {
      MultiplyOptions options{.algorithm = algorithm};
      if (algorithm == cosma) {
        options.bricks = std::array{1, 1, 1};
      } else {
        options.grid = one;
      }
      if (algorithm == two_and_a_half_d) options.layers = 1;
      MultiplicationPlan<double> plan(
          communicator, {x.layout, Op::none, x.layout, Op::none, x.layout}, gemm, options);
      plan.run(1.0, x.A, x.B, 0.0, x.C);
      // As if it multiplied for so long.
      if (communicator.rank() == 0) std::this_thread::sleep_for(1500ms);
      plan.run(1.0, x.A, x.B, 0.0, x.C);
      barrier(communicator);
    }
  };
  EXPECT_NO_THROW(run_ranks(3, multiply_slowly, environment));
}

TEST(Multiply, a_plan_is_for_one_communicator) {
  run_ranks(4, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    const Square x(communicator, 10, GridShape(2, 2));
    MultiplicationPlan<double> plan(communicator,
                                    {x.layout, Op::none, x.layout, Op::none, x.layout}, gemm);
    const Communicator turned = communicator.split(0, -communicator.rank());
    Square y(turned, 10, GridShape(2, 2));
    EXPECT_THROW(plan.run(1.0, y.A, y.B, 0.0, y.C), Error);
  });
}

TEST(Multiply, automatic_is_an_algorithm_that_accepts_all_options) {
  using enum MultiplicationAlgorithm;
  const auto chosen_from = [](const MultiplyOptions& options) {
    std::set<MultiplicationAlgorithm> algorithms;
    const PlanRequest request = plan_request({200, 300, 100}, sizeof(double), 4, options);
    for (const PlanCandidate& one : candidates_for(request, Rates{}, options))
      algorithms.insert(one.algorithm);
    return algorithms;
  };
  using Set = std::set<MultiplicationAlgorithm>;
  EXPECT_EQ(chosen_from({}).size(), multiplication_algorithms().size());
  EXPECT_EQ(chosen_from({.grid = GridShape(2, 2)}),
            (Set{summa, hsumma, cannon, sd_cannon, srumma, two_and_a_half_d, stationary_a,
                 stationary_b}));
  EXPECT_EQ(chosen_from({.bricks = std::array{2, 2, 1}}), Set{cosma});
  EXPECT_EQ(chosen_from({.panel_width = 7}),
            (Set{summa, hsumma, two_and_a_half_d, stationary_a, stationary_b}));
  EXPECT_EQ(chosen_from({.outer_width = 19}), Set{hsumma});
  EXPECT_EQ(chosen_from({.groups = {.sample = true}}), Set{hsumma});
  EXPECT_EQ(chosen_from({.layers = 2}), Set{two_and_a_half_d});
  EXPECT_EQ(chosen_from({.inside = LayerAlgorithm::cannon}), Set{two_and_a_half_d});
  EXPECT_EQ(chosen_from({.replicated_operands = true}), Set{two_and_a_half_d});
  EXPECT_EQ(chosen_from({.blocks_by_arrival = true}), Set{srumma});
  EXPECT_EQ(chosen_from({.one_direction = true}), Set{sd_cannon});
  EXPECT_EQ(chosen_from({.binary_tree = true}), Set{cosma});
  EXPECT_EQ(chosen_from({.rounds = 5}), (Set{carma, cosma}));
  EXPECT_EQ(chosen_from({.sides = Sidedness::one_sided}), (Set{sd_cannon, carma, cosma}));
  EXPECT_EQ(chosen_from({.layers = 2, .rounds = 5}), Set{});
}

TEST(Multiply, a_plan_needs_a_candidate_that_fits) {
  run_ranks(1, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    const Layout all = Layout::single(8, 8);
    const ProductLayouts product{all, Op::none, all, Op::none, all};
    const auto code = [&](std::vector<PlanCandidate> candidates) {
      try {
        MultiplicationPlan<double>(communicator, product, gemm, std::move(candidates));
      } catch (const Error& error) {
        return std::optional(error.code());
      }
      return std::optional<ErrorCode>();
    };
    EXPECT_EQ(code({}), ErrorCode::invalid_argument);
    const MultiplyOptions options{.memory_limit = 100};
    const PlanRequest request = plan_request({8, 8, 8}, sizeof(double), 1, options);
    EXPECT_EQ(code(candidates_for(request, Rates{}, options)), ErrorCode::out_of_memory);
  });
}

TEST(Multiply, groups_are_tried_before_the_first_run) {
  run_ranks(4, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    Square x(communicator, 64, GridShape(2, 2));
    MultiplicationPlan<double> plan(communicator,
                                    {x.layout, Op::none, x.layout, Op::none, x.layout}, gemm,
                                    {.algorithm = MultiplicationAlgorithm::hsumma,
                                     .grid = GridShape(2, 2),
                                     .groups = {.sample = true}});
    const auto received = [&] {
      const Traffic before = communicator.traffic();
      EXPECT_TRUE(plan.run(1.0, x.A, x.B, 0.0, x.C).sampled_groups);
      return (communicator.traffic() - before).bytes_received;
    };
    EXPECT_EQ(received(), received());
  });
}

TEST(Multiply, a_memory_limit_is_kept_or_refused) {
  run_ranks(4, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    Square x(communicator, 64, GridShape(2, 2));
    const Report report = multiply(1.0, x.A, x.B, 0.0, x.C, gemm, {.memory_limit = 200'000});
    EXPECT_LE(report.plan->memory * sizeof(double), 200'000);
    try {
      multiply(1.0, x.A, x.B, 0.0, x.C, gemm, {.memory_limit = 1000});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    }
  });
}

TEST(Multiply, in_tiles_of_bricks_is_the_same_product) {
  run_ranks(2, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    Square x(communicator, 96, GridShape(2, 1));
    multiply(1.0, x.A, x.B, 0.0, x.C, gemm, {.algorithm = MultiplicationAlgorithm::summa});
    const std::vector<double> right(x.C.local().data, x.C.local().data + 48 * 96);
    MultiplyOptions options{.algorithm = MultiplicationAlgorithm::cosma,
                            .bricks = std::array{1, 1, 2}};
    const Report whole = multiply(1.0, x.A, x.B, 0.0, x.C, gemm, options);
    options.memory_limit = static_cast<std::int64_t>(whole.plan->memory * sizeof(double)) - 50'000;
    const Report tiled = multiply(1.0, x.A, x.B, 0.0, x.C, gemm, options);
    EXPECT_EQ(whole.plan->row_tiles * whole.plan->column_tiles, 1);
    EXPECT_GT(tiled.plan->row_tiles * tiled.plan->column_tiles, 1);
    for (std::size_t i = 0; i < right.size(); ++i)
      ASSERT_NEAR(x.C.local().data[i], right[i], 1e-10) << i;
  });
}

TEST(Multiply, refuses_with_one_clear_line) {
  run_ranks(2, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    const GridShape grid(1, 2);
    const Matrix<double> A(communicator, Layout::block(4, 6, grid));
    const Matrix<double> B(communicator, Layout::block(6, 5, grid));
    Matrix<double> C(communicator, Layout::block(4, 5, grid));
    Matrix<double> square(communicator, Layout::block(4, 4, grid));
    const auto message = [](const auto& call) -> std::string {
      try {
        call();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        return error.what();
      }
      return "no error";
    };
    EXPECT_EQ(message([&] { multiply(1.0, B, A, 0.0, C, gemm); }),
              "multiply: A is 6x5, B is 4x6: the columns of the first must be the rows of the "
              "second");
    EXPECT_EQ(message([&] { multiply(1.0, A, transpose(B), 0.0, C, gemm); }),
              "multiply: A is 4x6, op(B) is 5x6 (6x5, transpose): the columns of the first must be "
              "the rows of the second");
    EXPECT_EQ(message([&] { multiply(1.0, A, B, 0.0, square, gemm); }),
              "multiply: A is 4x6, B is 6x5, C is 4x4: give a C of 4x5");
    EXPECT_EQ(message([&] { multiply(1.0, square, square, 0.0, square, gemm); }),
              "multiply: C is the same matrix as A, which is read while C is written: give another "
              "matrix");
    EXPECT_EQ(message([&] { multiply(1.0, A, B, 0.0, C, gemm, {.grid = GridShape(2, 2)}); }),
              "multiply: a 2x2 grid needs 4 ranks, there are 2: give a smaller grid or more ranks");
    EXPECT_EQ(message([&] { multiply(1.0, A, B, 0.0, C, gemm, {.panel_width = 0}); }),
              "multiply: panel width 0: give at least 1");
    std::vector<double> memory(4 * 6);
    const auto around = [&](std::int64_t columns, std::size_t first) {
      return Matrix<double>::wrap(communicator, Layout::block(4, columns, grid), &memory[first], 4);
    };
    Matrix<double> same = around(5, 0);
    EXPECT_EQ(message([&] { multiply(1.0, around(6, 8), B, 0.0, same, gemm); }),
              "multiply: rank 0: C shares memory with A, which is read while C is written: give C "
              "memory of its own");
    EXPECT_EQ(message([&] { multiply(1.0, around(6, 12), B, 0.0, same, gemm); }), "no error");
    const std::int64_t largest = gemm.largest_leading_dimension();
    if (largest < std::numeric_limits<std::int64_t>::max()) {
      // Of one column; on the other rank all is well.
      std::vector<double> column(4);
      const auto thin = Matrix<double>::wrap(communicator, Layout::block(4, 2, grid), column.data(),
                                             communicator.rank() == 1 ? largest + 1 : 4);
      const Matrix<double> few(communicator, Layout::block(2, 5, grid));
      EXPECT_EQ(message([&] {
                  multiply(1.0, thin, few, 0.0, C, gemm);
                }).find(fmt::format("multiply: A's leading dimension is {}, ", largest + 1)),
                0U);
    }
    const Communicator other = communicator.duplicate();
    const Matrix<double> elsewhere(other, Layout::block(6, 5, grid));
    EXPECT_EQ(message([&] { multiply(1.0, A, elsewhere, 0.0, C, gemm); }),
              "multiply: B and C have different communicators: make all matrices with the same "
              "one");
  });
}

}  // namespace multiply_test
}  // namespace cuboid::detail
