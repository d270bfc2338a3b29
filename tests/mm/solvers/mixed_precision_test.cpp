// Solutions by factors in single precision, which must be as good as those of double precision.

#include <cuboid/mixed_precision.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/norms.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/matrix/random_element.hpp"
#include "mm/solvers/solve_by_single_precision.hpp"
#include "tests/collectives/on_ranks.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace mixed_precision_test {

template <class T>
class MixedPrecisionTest : public testing::Test {};
using Types = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(MixedPrecisionTest, Types);

template <class T>
using Elements = std::function<T(std::int64_t, std::int64_t)>;

template <class T>
T random_at(std::int64_t i, std::int64_t j) {
  return RandomColumn(5, Global<Column>(j)).at<T>(Global<Row>(i));
}

template <class T>
Elements<T> diagonally_dominant(std::int64_t n) {
  return [n](std::int64_t i, std::int64_t j) {
    const T value = i > j ? random_at<T>(i, j) : conjugate(random_at<T>(j, i));
    return i == j ? T(2.0 * static_cast<double>(n)) : value;
  };
}

/// Symmetric, with eigenvalues from 1 to 1/condition and discrete sines as eigenvectors.
template <class T>
Elements<T> of_condition(double condition, std::int64_t n) {
  return [condition, n](std::int64_t i, std::int64_t j) {
    const double size = static_cast<double>(n + 1);
    double sum = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const double eigenvalue =
          std::pow(condition, -static_cast<double>(k) / static_cast<double>(n - 1));
      const auto sine = [&](std::int64_t l) {
        return std::sin(M_PI * static_cast<double>((k + 1) * (l + 1)) / size);
      };
      sum += 2 / size * eigenvalue * sine(i) * sine(j);
    }
    return T(sum);
  };
}

template <class T>
struct Solved {
  MixedPrecisionOutcome outcome;
  double error;  ///< ‖B − A·X‖∞ / (n·u·(‖A‖∞·‖X‖∞ + ‖B‖∞))
};

template <class T>
Solved<T> solve(Communicator& c, std::int64_t n, std::int64_t columns, const Elements<T>& elements,
                const MixedPrecisionOptions& options = {}) {
  const GridShape grid = choose_grid(c.size());
  Matrix<T> A(c, Layout::block_cyclic(n, n, 4, 4, grid));
  Matrix<T> B(c, Layout::block(n, columns, grid));
  Matrix<T> X(c, B.layout());
  A.fill([&](Global<Row> i, Global<Column> j) { return elements(i.value, j.value); });
  B.fill_random(2);
  redistribute(Op::none, B, X);
  const auto kernels = LocalKernels::open(c.environment(), 1);
  const MixedPrecisionOutcome outcome = solve_mixed(A, X, kernels, options);
  const double size = norm(Norm::infinity, A) * norm(Norm::infinity, X) + norm(Norm::infinity, B);
  multiply<T>(T(-1), A, X, T(1), B, kernels.gemm);
  const double unit = std::numeric_limits<double>::epsilon() / 2;
  const double error =
      size == 0 ? 0 : norm(Norm::infinity, B) / (static_cast<double>(n) * unit * size);
  return {outcome, error};
}

TYPED_TEST(MixedPrecisionTest, RefinesToDoublePrecision) {
  using T = TypeParam;
  for (const int ranks : {1, 2, 3, 8}) {
    run_ranks(ranks, [](Communicator& c) {
      for (const std::int64_t n : {0, 1, 5, 33}) {
        for (const std::int64_t columns : {0, 3}) {
          for (const MatrixClass matrix : {MatrixClass::general, MatrixClass::positive_definite}) {
            const auto [outcome, error] = solve<T>(c, n, columns, diagonally_dominant<T>(n),
                                                   {.factorise = {}, .matrix = matrix});
            require(outcome.method == MixedPrecisionMethod::refinement, "{} for n = {}",
                    to_string(outcome.method), n);
            require(outcome.steps <= 4, "{} steps", outcome.steps);
            require(error <= 4, "{} columns of {}: {} unit errors", columns, n, error);
          }
        }
      }
    });
  }
}

TYPED_TEST(MixedPrecisionTest, UsesGmresWhereRefinementStalls) {
  using T = TypeParam;
  run_ranks(4, [](Communicator& c) {
    const auto [outcome, error] = solve<T>(c, 40, 2, of_condition<T>(1e10, 40));
    require(outcome.method == MixedPrecisionMethod::gmres, "{}", to_string(outcome.method));
    require(outcome.gmres_iterations > 0, "no iteration");
    require(error <= 4, "{} unit errors", error);
  });
}

TYPED_TEST(MixedPrecisionTest, FactorisesInDoublePrecisionWhereSingleDoesNotDo) {
  using T = TypeParam;
  run_ranks(3, [](Communicator& c) {
    const auto huge = solve<T>(
        c, 12, 1, [](std::int64_t i, std::int64_t j) { return random_at<T>(i, j) * 1e100; });
    require(huge.outcome.method == MixedPrecisionMethod::full_precision, "{}",
            to_string(huge.outcome.method));
    require(huge.error <= 4, "{} unit errors", huge.error);
    const auto stopped = solve<T>(c, 40, 1, of_condition<T>(1e5, 40),
                                  {.factorise = {}, .matrix = {}, .most_steps = 0});
    require(stopped.outcome.method == MixedPrecisionMethod::full_precision, "{}",
            to_string(stopped.outcome.method));
    require(stopped.error <= 4, "{} unit errors", stopped.error);
  });
}

TYPED_TEST(MixedPrecisionTest, WhatIsNotFiniteIsNotTriedInSinglePrecision) {
  using T = TypeParam;
  run_ranks(2, [](Communicator& c) {
    const auto kernels = LocalKernels::open(c.environment(), 1);
    const GridShape grid = choose_grid(c.size());
    const auto solved = [&](double of_matrix, double of_sides) {
      Matrix<T> A(c, Layout::block(6, 6, grid)), B(c, Layout::block(6, 2, grid));
      const Elements<T> elements = diagonally_dominant<T>(6);
      A.fill([&](Global<Row> i, Global<Column> j) {
        return elements(i.value, j.value) + (i.value == 4 && j.value == 1 ? T(of_matrix) : T(0));
      });
      B.fill([&](Global<Row> i, Global<Column> j) {
        return i.value == 2 && j.value == 1 ? T(1 + of_sides) : T(1);
      });
      MixedPrecisionOutcome outcome;
      const auto factors = solve_by_single_precision(A, B, kernels, {}, outcome);
      require(!factors || outcome.steps == 0, "{} steps", outcome.steps);
      return std::pair(factors.has_value(), factors && factors->is_finite());
    };
    const double nan = std::nan(""), infinity = HUGE_VAL;
    require(solved(nan, 0) == std::pair(true, false), "NaN in the matrix");
    require(solved(infinity, nan) == std::pair(true, false), "infinity in the matrix");
    require(solved(0, infinity) == std::pair(true, true), "infinity in the right-hand sides");
    require(!solved(0, 0).first, "nothing");
  });
}

TYPED_TEST(MixedPrecisionTest, RefusesWhatItCannotSolve) {
  using T = TypeParam;
  run_ranks(2, [](Communicator& c) {
    const auto kernels = LocalKernels::open(c.environment(), 1);
    const GridShape grid = choose_grid(c.size());
    Matrix<T> A(c, Layout::block(4, 4, grid)), wide(c, Layout::block(4, 5, grid));
    Matrix<T> B(c, Layout::block(4, 1, grid)), longer(c, Layout::block(5, 1, grid));
    A.fill([](Global<Row>, Global<Column>) { return T(1); });
    B.fill_random(1);
    const auto refused = [&](const Matrix<T>& matrix, Matrix<T>& sides, const char* why,
                             const MixedPrecisionOptions& options = {}) {
      require_error([&] { solve_mixed(matrix, sides, kernels, options); },
                    ErrorCode::invalid_argument, {why});
    };
    refused(A, B, "singular");
    refused(wide, B, "square");
    refused(A, longer, "4 rows");
    refused(A, B, "0 or more", {.factorise = {}, .matrix = {}, .most_steps = -1});
  });
}

}  // namespace mixed_precision_test
}  // namespace cuboid::detail
