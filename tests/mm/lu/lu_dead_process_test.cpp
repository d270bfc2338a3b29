// A process that is killed in the midst of a factorisation or an inverse: the others end with an
// error that names it, before the deadline.

#include <cuboid/factorise.hpp>

#include "tests/mm/killed_at_work.hpp"

#include <ostream>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace lu_dead_process_test {

struct DyingCase {
  const char* name;
  Pivoting pivoting;
  GridShape grid;
  int layers, victim;
  bool cholesky = false;
  friend void PrintTo(const DyingCase& dying, std::ostream* out) { *out << dying.name; }
};

class LuDeadProcess : public testing::TestWithParam<DyingCase> {
 protected:
  /// Positive definite, and without need of pivots.
  static Matrix<double> heavy_diagonal(Communicator& c) {
    constexpr std::int64_t size = 600, block = 16;
    Matrix<double> A(c, Layout::block_cyclic(size, size, block, block, GridShape(c.size(), 1)));
    A.fill([](Global<Row> i, Global<Column> j) { return i.value == j.value ? 600.0 : 1.0; });
    return A;
  }

  static LuFactorisation<double> factors_of(const Matrix<double>& A, const LocalKernels& kernels) {
    const DyingCase& dying = GetParam();
    const FactoriseOptions options{
        .pivoting = dying.pivoting, .grid = dying.grid, .layers = dying.layers, .block = 16};
    return dying.cholesky ? cholesky(A, kernels, options) : factorise(A, kernels, options);
  }

  static int ranks() { return GetParam().grid.size() * GetParam().layers; }
};

TEST_P(LuDeadProcess, IsNamedByEverySurvivorOfAFactorisation) {
  expect_survivors_to_name(GetParam().victim, ranks(), [](Communicator& c, const Repeat& repeat) {
    const LocalKernels kernels = LocalKernels::open(c.environment(), 1);
    const Matrix<double> A = heavy_diagonal(c);
    repeat([&] { factors_of(A, kernels); });
  });
}

TEST_P(LuDeadProcess, IsNamedByEverySurvivorOfAnInverse) {
  expect_survivors_to_name(GetParam().victim, ranks(), [](Communicator& c, const Repeat& repeat) {
    const LocalKernels kernels = LocalKernels::open(c.environment(), 1);
    Matrix<double> X = heavy_diagonal(c);
    const LuFactorisation<double> factors = factors_of(X, kernels);
    repeat([&] { factors.inverse(X); });
  });
}

INSTANTIATE_TEST_SUITE_P(
    Lu, LuDeadProcess,
    testing::Values(DyingCase{"tournament", Pivoting::tournament, GridShape(2, 2), 1, 3},
                    DyingCase{"partial", Pivoting::partial, GridShape(3, 1), 1, 0},
                    DyingCase{"layers", Pivoting::tournament, GridShape(2, 1), 2, 2},
                    DyingCase{"cholesky", Pivoting::none, GridShape(1, 3), 1, 1, true}));

}  // namespace lu_dead_process_test
}  // namespace cuboid::detail
