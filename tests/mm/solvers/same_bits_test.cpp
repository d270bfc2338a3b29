// Solutions and inverses, which have the same bits whatever rate of the cores is measured.

#include <cuboid/factorise.hpp>
#include <cuboid/mixed_precision.hpp>
#include <cuboid/multiply.hpp>

#include "mm/plan/rates.hpp"
#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/whole_matrix.hpp"

#include <cstring>
#include <functional>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace same_bits_test {

constexpr int ranks = 4;
constexpr std::int64_t n = 275;  // the plan of a product depends on the rate

/// What a computation returns on 4 ranks on which one rate or the other was measured.
using Computed = std::function<Matrix<double>(Communicator&, const LocalKernels&)>;

std::vector<double> with_rate(double rate, const Computed& compute) {
  std::vector<double> elements;
  run_ranks(ranks, [&](Communicator& c) {
    measured_gemm_rate<double>(1, ranks) = rate;
    const Matrix<double> computed = compute(c, LocalKernels::open(c.environment(), 1));
    const auto whole = WholeMatrix<double>::gathered(computed);
    if (c.rank() == 0) elements = whole.values;
  });
  return elements;
}

bool same_bits(const Computed& compute) {
  const std::vector<double> slow = with_rate(1e7, compute), fast = with_rate(1e13, compute);
  return slow.size() == fast.size() &&
         std::memcmp(slow.data(), fast.data(), slow.size() * sizeof(double)) == 0;
}

/// Symmetric and positive definite.
Matrix<double> made(Communicator& c, std::int64_t order = n) {
  Matrix<double> A(c, Layout::block_cyclic(order, order, 32, 32, choose_grid(ranks)));
  A.fill([](Global<Row> i, Global<Column> j) {
    const double between = 1 / (1 + static_cast<double>(std::abs(i.value - j.value)));
    return i.value == j.value ? 8.0 : between;
  });
  return A;
}

Matrix<double> right_hand_sides(Communicator& c) {
  Matrix<double> B(c, Layout::block_cyclic(n, n, 32, 32, choose_grid(ranks)));
  B.fill_random(2);
  return B;
}

// Without this, the other tests would show nothing.
TEST(SameBits, ProductsFollowTheMeasuredRateUnlessPlannedByAUsualOne) {
  const auto product = [](const MultiplyOptions& options) {
    return [options](Communicator& c, const LocalKernels& kernels) {
      Matrix<double> C = right_hand_sides(c);
      multiply(1.0, made(c), right_hand_sides(c), 0.0, C, kernels.gemm, options);
      return C;
    };
  };
  EXPECT_FALSE(same_bits(product({})));
  EXPECT_TRUE(same_bits(product({.planned_by_usual_rate = true})));
}

TEST(SameBits, OfInverses) {
  for (const bool hermitian : {false, true}) {
    EXPECT_TRUE(same_bits([&](Communicator& c, const LocalKernels& kernels) {
      const Matrix<double> A = made(c, 2 * n);
      Matrix<double> X = made(c, 2 * n);
      (hermitian ? cholesky(A, kernels) : factorise(A, kernels)).inverse(X);
      return X;
    })) << (hermitian ? "Cholesky" : "LU");
  }
}

TEST(SameBits, OfRefinedSolutions) {
  EXPECT_TRUE(same_bits([](Communicator& c, const LocalKernels& kernels) {
    const Matrix<double> A = made(c), B = right_hand_sides(c);
    Matrix<double> X = right_hand_sides(c);
    const auto factors = factorise(A, kernels);
    factors.solve(X);
    refine(factors, A, B, X, 1, kernels);
    return X;
  }));
}

TEST(SameBits, OfSolutionsInMixedPrecision) {
  EXPECT_TRUE(same_bits([](Communicator& c, const LocalKernels& kernels) {
    Matrix<double> X = right_hand_sides(c);
    solve_mixed(made(c), X, kernels);
    return X;
  }));
}

}  // namespace same_bits_test
}  // namespace cuboid::detail
