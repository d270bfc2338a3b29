// That a multiplication made ready once allocates nothing when it is run again.

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/multiply.hpp>

#include "mm/matrix/aligned_memory.hpp"
#include "mm/multiply/make_multiplication.hpp"
#include "mm/multiply/plan_request.hpp"
#include "mm/multiply/plan_text.hpp"
#include "tests/mm/least_words.hpp"
#include "tests/mm/multiply/counted_allocations.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace allocation_test {

/// Every algorithm as it is planned, and what else there is to allocate in.
std::vector<MultiplyOptions> all_options() {
  using enum MultiplicationAlgorithm;
  std::vector<MultiplyOptions> all;
  for (const MultiplicationAlgorithm algorithm : multiplication_algorithms()) {
    all.push_back({.algorithm = algorithm});
  }
  all.push_back({.algorithm = summa, .panel_width = 16});
  all.push_back({.algorithm = hsumma,
                 .grid = GridShape(4, 2),
                 .panel_width = 16,
                 .outer_width = 32,
                 .groups = {.shape = GroupShape{2, 1}}});
  all.push_back({.algorithm = stationary_a, .grid = GridShape(4, 2), .panel_width = 16});
  all.push_back({.algorithm = stationary_b, .grid = GridShape(4, 2), .panel_width = 16});
  all.push_back({.algorithm = sd_cannon, .sides = Sidedness::one_sided});
  all.push_back({.algorithm = sd_cannon, .one_direction = true});
  all.push_back({.algorithm = srumma, .copied_blocks = true, .blocks_by_arrival = true});
  all.push_back({.algorithm = cosma, .bricks = std::array{2, 1, 4}, .binary_tree = true});
  all.push_back({.algorithm = two_and_a_half_d, .layers = 2, .inside = LayerAlgorithm::cannon});
  all.push_back({.algorithm = two_and_a_half_d, .layers = 2, .inside = LayerAlgorithm::sd_cannon});
  all.push_back({.algorithm = two_and_a_half_d, .layers = 2, .inside = LayerAlgorithm::summa});
  all.push_back({.algorithm = two_and_a_half_d, .layers = 2, .inside = LayerAlgorithm::slabs});
  all.push_back({.algorithm = two_and_a_half_d, .layers = 2, .replicated_operands = true});
  for (const Sidedness sides : {Sidedness::two_sided, Sidedness::one_sided}) {
    all.push_back({.algorithm = cosma, .bricks = std::array{2, 2, 2}, .rounds = 3, .sides = sides});
  }
  return all;
}

/// Runs a plan for these layouts several times; no run but the first may allocate.
void expect_no_allocations(const Communicator& communicator, const LocalGemm& gemm,
                           const ProductLayouts& stored,
                           const std::vector<PlanCandidate>& candidates) {
  Matrix<double> A(communicator, stored.A), B(communicator, stored.B), C(communicator, stored.C);
  A.fill_random(1);
  B.fill_random(2);
  MultiplicationPlan<double> plan(communicator, stored, gemm, candidates);
  plan.run(1.0, A, B, 0.0, C);
  for (int again = 0; again < 2; ++again) {
    // Connections that the first run had no need of are made in barriers.
    barrier(communicator);
    const std::uint64_t before = test::allocations();
    plan.run(0.5, A, B, 1.0, C);
    EXPECT_EQ(test::allocations() - before, 0U)
        << to_string(plan.chosen().algorithm) << " " << describe_grid(plan.chosen()) << ", rank "
        << communicator.rank();
  }
  // A rank that leaves is noted by those that still multiply.
  barrier(communicator);
}

TEST(Allocation, is_counted) {
  run_ranks(1, [](Communicator& communicator) {
    const std::uint64_t before = test::allocations();
    const std::vector<int> numbers(100);
    EXPECT_EQ(test::allocations() - before, 1U);
    const AlignedArray<double> panel(100, "a panel");
    EXPECT_EQ(test::allocations() - before, 2U);
    const Matrix<double> matrix(communicator, Layout::single(10, 10));
    EXPECT_GE(test::allocations() - before, 3U);
  });
}

TEST(Allocation, none_when_a_plan_is_run_again) {
  constexpr int ranks = 8;
  const ProductSize size{160, 144, 176};
  run_ranks(ranks, [&](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    for (const MultiplyOptions& options : all_options()) {
      const auto candidates =
          candidates_for(plan_request(size, sizeof(double), ranks, options), Rates{}, options);
      expect_no_allocations(communicator, gemm,
                            required_layouts(size, Op::none, Op::none, candidates.front()),
                            candidates);
    }
  });
}

/// That matrices and a plan for them take no more than the plan says.
void expect_no_more_than_planned(const Communicator& communicator, const LocalGemm& gemm,
                                 const ProductLayouts& stored,
                                 const std::vector<PlanCandidate>& candidates) {
  const std::uint64_t before = test::aligned_bytes();
  const Matrix<double> A(communicator, stored.A), B(communicator, stored.B);
  const Matrix<double> C(communicator, stored.C);
  const MultiplicationPlan<double> plan(communicator, stored, gemm, candidates);
  const auto held = static_cast<double>(test::aligned_bytes() - before) / sizeof(double);
  // Blocks of uneven extents, which collectives may bring into order; cache lines.
  EXPECT_LE(held, 1.1 * plan.chosen().memory + 500)
      << to_string(plan.chosen().algorithm) << " " << describe_grid(plan.chosen()) << ", rank "
      << communicator.rank();
}

// Costs are those of collectives that bring each word once; others may hold more for sums.
TEST(Allocation, of_a_plan_is_no_more_than_its_plan_says) {
  constexpr int ranks = 8;
  const ProductSize size{960, 864, 1056};
  const GridShape tall(8, 1), flat(1, 8);
  run_ranks(
      ranks,
      [&](Communicator& communicator) {
        const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
        std::vector<MultiplyOptions> all = all_options();
        for (const GridShape& grid : {tall, flat}) {
          for (const MultiplicationAlgorithm algorithm :
               {MultiplicationAlgorithm::summa, MultiplicationAlgorithm::cannon,
                MultiplicationAlgorithm::sd_cannon, MultiplicationAlgorithm::srumma}) {
            all.push_back({.algorithm = algorithm, .grid = grid, .panel_width = 32});
          }
        }
        for (const std::array<int, 3>& bricks : {std::array{1, 1, 8}, std::array{2, 1, 4}}) {
          all.push_back({.algorithm = MultiplicationAlgorithm::cosma, .bricks = bricks});
        }
        for (const int layers : {4, 8}) {
          for (const LayerAlgorithm inside : {LayerAlgorithm::slabs, LayerAlgorithm::summa,
                                              LayerAlgorithm::cannon, LayerAlgorithm::sd_cannon}) {
            all.push_back({.algorithm = MultiplicationAlgorithm::two_and_a_half_d,
                           .layers = layers,
                           .inside = inside});
          }
        }
        const GridShape elsewhere(4, 2);
        const ProductLayouts scattered{
            Layout::block_cyclic(size.m, size.k, 5, 7, elsewhere), Op::none,
            Layout::block_cyclic(size.k, size.n, 7, 9, elsewhere), Op::none,
            Layout::block_cyclic(size.m, size.n, 5, 9, elsewhere)};
        for (const MultiplyOptions& options : all) {
          PlanRequest request = plan_request(size, sizeof(double), ranks, options);
          const auto in_place = candidates_for(request, Rates{}, options);
          expect_no_more_than_planned(communicator, gemm,
                                      required_layouts(size, Op::none, Op::none, in_place.front()),
                                      in_place);
          request.stored = scattered;
          expect_no_more_than_planned(communicator, gemm, scattered,
                                      candidates_for(request, Rates{}, options));
        }
      },
      test::least_words());
}

}  // namespace allocation_test
}  // namespace cuboid::detail
