// A process that is killed in the midst of a solve in mixed precision: the others end with an error
// that names it, before the deadline.

#include <cuboid/mixed_precision.hpp>

#include "tests/mm/killed_at_work.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace solver_dead_process_test {

void expect_survivors_of_a_solve_to_name(int victim, MatrixClass matrix) {
  const auto solve = [&](Communicator& c, const Repeat& repeat) {
    constexpr std::int64_t size = 600, block = 16;
    const LocalKernels kernels = LocalKernels::open(c.environment(), 1);
    Matrix<double> A(c, Layout::block_cyclic(size, size, block, block, GridShape(c.size(), 1)));
    A.fill([](Global<Row> i, Global<Column> j) { return i.value == j.value ? 600.0 : 1.0; });
    Matrix<double> B(c, Layout::block(size, 2, GridShape(c.size(), 1)));
    repeat([&] {
      B.fill_random(1);
      solve_mixed(A, B, kernels,
                  {.factorise = {.grid = GridShape(2, 2), .block = block}, .matrix = matrix});
    });
  };
  expect_survivors_to_name(victim, 4, solve);
}

TEST(SolverDeadProcess, IsNamedByEverySurvivorOfASolveByLu) {
  expect_survivors_of_a_solve_to_name(2, MatrixClass::general);
}

TEST(SolverDeadProcess, IsNamedByEverySurvivorOfASolveByCholesky) {
  expect_survivors_of_a_solve_to_name(0, MatrixClass::positive_definite);
}

}  // namespace solver_dead_process_test
}  // namespace cuboid::detail
