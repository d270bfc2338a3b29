// LU and what is solved with it on ranks that are threads, against LAPACK and products
// written out.

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/lu/factorise_plan.hpp"
#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/every_element_type.hpp"
#include "tests/mm/lu/lu_cases.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cuboid::detail {
namespace lu_factorise_test {

template <MatrixElement T>
void expect_factors(const Case& one, const Communicator& communicator, const WholeMatrix<T>& A,
                    const LocalKernels& kernels) {
  const Layout layout = Layout::block_cyclic(one.m, one.n, 5, 3, choose_grid(one.ranks));
  const Matrix<T> given = A.spread(communicator, layout);
  const auto factors = factorise(given, kernels, one.options());
  Matrix<T> given_back(communicator, layout);
  factors.copy_to(given_back);
  const WholeMatrix<T> F = WholeMatrix<T>::gathered(given_back);
  require(factors.info() == 0, "{}: info {}", one.text(), factors.info());
  require(std::ssize(factors.pivots()) == std::min(one.m, one.n), "{}: {} pivots", one.text(),
          factors.pivots().size());
  const double error = factor_error<T>(A, F, factors.pivots());
  const double allowed =
      30 * static_cast<double>(one.n + 8) * epsilon_of<T>() * std::max(F.largest(), A.largest());
  require(error <= allowed, "{}: error {} > {}", one.text(), error, allowed);
}

template <class T>
class LuTest : public testing::Test {
 protected:
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
};
TYPED_TEST_SUITE(LuTest, EveryElementType);

TYPED_TEST(LuTest, WithoutPivotingFactorsMultiplyToTheMatrix) {
  for_each_case<TypeParam>(Pivoting::none, [&](Communicator& communicator, const Case& one) {
    auto A = WholeMatrix<TypeParam>::random(one.m, one.n);
    for (std::int64_t k = 0; k < std::min(one.m, one.n); ++k)
      A(k, k) += TypeParam(static_cast<RealOf<TypeParam>>(one.m + one.n));
    expect_factors<TypeParam>(one, communicator, A, this->kernels);
  });
}

TYPED_TEST(LuTest, WithATournamentFactorsMultiplyToThePermutedMatrix) {
  for_each_case<TypeParam>(Pivoting::tournament, [&](Communicator& communicator, const Case& one) {
    expect_factors<TypeParam>(one, communicator, WholeMatrix<TypeParam>::random(one.m, one.n),
                              this->kernels);
  });
}

TYPED_TEST(LuTest, WithPartialPivotingThePivotsAreLapacks) {
  using T = TypeParam;
  for_each_case<T>(Pivoting::partial, [&](Communicator& communicator, const Case& one) {
    auto A = WholeMatrix<T>::random(one.m, one.n);
    expect_factors<T>(one, communicator, A, this->kernels);
    const Matrix<T> given =
        A.spread(communicator, Layout::block(one.m, one.n, GridShape(1, one.ranks)));
    const auto factors = factorise(given, this->kernels, one.options());
    std::vector<std::int64_t> expected(static_cast<std::size_t>(std::min(one.m, one.n)));
    this->kernels.lapack.getrf(A.view(), expected);
    require(std::ranges::equal(factors.pivots(), expected), "{}: other pivots", one.text());
  });
}

TYPED_TEST(LuTest, SolvesForManyRightHandSides) {
  using T = TypeParam;
  for_each_case<T>(Pivoting::tournament, [&](Communicator& communicator, const Case& one) {
    if (one.m != one.n) return;
    const auto A = WholeMatrix<T>::random(one.n, one.n);
    const Matrix<T> given =
        A.spread(communicator, Layout::block(one.n, one.n, choose_grid(one.ranks)));
    const auto factors = factorise(given, this->kernels, one.options());
    for (const std::int64_t columns : {0, 1, 5}) {
      for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        if (op != Op::none && columns != 5) continue;
        const auto B = WholeMatrix<T>::random(one.n, columns, seed + 1);
        Matrix<T> X = B.spread(communicator,
                               Layout::block_cyclic(one.n, columns, 3, 2, choose_grid(one.ranks)));
        factors.solve(X, op);
        const double residual = scaled_residual(A, op, WholeMatrix<T>::gathered(X), B);
        require(residual <= 30, "{}: {} right-hand sides, {}: residual {}", one.text(), columns,
                to_string(op), residual);
      }
    }
  });
}

TYPED_TEST(LuTest, TriangularSolvesOfBothSides) {
  using T = TypeParam;
  constexpr std::int64_t n = 19, columns = 6;
  auto A = WholeMatrix<T>::random(n, n);
  for (std::int64_t k = 0; k < n; ++k) A(k, k) += T(5);
  on_worlds([&](Communicator& communicator) {
    const GridShape grid = choose_grid(communicator.size());
    const Matrix<T> given = A.spread(communicator, Layout::block(n, n, grid));
    for (const MatrixSide side : {MatrixSide::left, MatrixSide::right}) {
      for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
        for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
          for (const Diagonal diagonal : {Diagonal::stored, Diagonal::unit}) {
            const bool left = side == MatrixSide::left;
            auto B = WholeMatrix<T>::random(left ? n : columns, left ? columns : n, seed + 2);
            Matrix<T> X = B.spread(communicator, Layout::block_cyclic(B.m, B.n, 4, 3, grid));
            trsm(side, triangle, op, diagonal, T(2), given, X, this->kernels, {.block = 4});
            const WholeMatrix<T> got = WholeMatrix<T>::gathered(X);
            this->kernels.lapack.trsm(side, triangle, op, diagonal, T(2), A.view(), B.view());
            for (std::size_t i = 0; i < B.values.size(); ++i) {
              require(std::abs(got.values[i] - B.values[i]) <=
                          2000 * epsilon_of<T>() * (1 + B.largest()),
                      "{} ranks: side {}, triangle {}, {}: {} instead of {}", communicator.size(),
                      static_cast<int>(side), static_cast<int>(triangle), to_string(op),
                      std::abs(got.values[i]), std::abs(B.values[i]));
            }
          }
        }
      }
    }
  });
}

TYPED_TEST(LuTest, ASingularPivotIsNamed) {
  using T = TypeParam;
  constexpr std::int64_t n = 20;
  for (const std::int64_t zero : {0, 3, 4, 13, 19}) {
    for (const Pivoting pivoting : {Pivoting::none, Pivoting::tournament, Pivoting::partial}) {
      // A column of zeros stays one.
      auto A = WholeMatrix<T>::made(n, n, [&](std::int64_t i, std::int64_t j) {
        if (j == zero) return T(0);
        const T value = RandomColumn(seed, Global<Column>(j)).at<T>(Global<Row>(i));
        return i == j ? value + T(30) : value;
      });
      on_worlds(
          [&](Communicator& communicator) {
            const Matrix<T> given =
                A.spread(communicator, Layout::block(n, n, choose_grid(communicator.size())));
            const int layers = communicator.size() >= 8 ? 2 : 1;
            const auto factors = factorise(given, this->kernels,
                                           {.pivoting = pivoting, .layers = layers, .block = 4});
            require(factors.info() == zero + 1, "{}: info {} instead of {}", to_string(pivoting),
                    factors.info(), zero + 1);
            Matrix<T> back(communicator, given.layout());
            factors.copy_to(back);
            for (const T& value : WholeMatrix<T>::gathered(back).values)
              require(std::isfinite(std::abs(value)), "{}: not finite", to_string(pivoting));
            require(factors.determinant().sign == T(0), "the determinant is not 0");
            require(factors.reciprocal_condition() == 0, "the condition is not infinite");
            Matrix<T> X(communicator, Layout::block(n, 1, GridShape(communicator.size(), 1)));
            require_error([&] { factors.solve(X); }, ErrorCode::invalid_argument,
                          {"singular", std::to_string(zero + 1)});
          },
          {1, 3, 4, 8});
    }
  }
}

TYPED_TEST(LuTest, DeterminantAndConditionAreThoseOfLapacksFactors) {
  using T = TypeParam;
  constexpr std::int64_t n = 21;
  auto A = WholeMatrix<T>::random(n, n);
  auto F = A;
  std::vector<std::int64_t> pivots(n);
  this->kernels.lapack.getrf(F.view(), pivots);
  std::complex<double> sign = 1;
  double logarithm = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const std::complex<double> pivot(F(k, k));
    sign *= pivot / std::abs(pivot) * (pivots[static_cast<std::size_t>(k)] == k ? 1.0 : -1.0);
    logarithm += std::log(std::abs(pivot));
  }
  // ‖A⁻¹‖₁ column by column.
  double inverse_norm = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    WholeMatrix<T> e(n, 1);
    e(j, 0) = T(1);
    for (std::int64_t k = 0; k < n; ++k)
      std::swap(e(k, 0), e(pivots[static_cast<std::size_t>(k)], 0));
    const LocalView<T> x = e.view();
    this->kernels.lapack.trsm(MatrixSide::left, Triangle::lower, Op::none, Diagonal::unit, T(1),
                              F.view(), x);
    this->kernels.lapack.trsm(MatrixSide::left, Triangle::upper, Op::none, Diagonal::stored, T(1),
                              F.view(), x);
    inverse_norm = std::max(inverse_norm, e.one_norm());
  }
  const double expected = 1 / (A.one_norm() * inverse_norm);
  for (const auto& [ranks, rows, columns, layers] : grids) {
    run_ranks(ranks, [&](Communicator& communicator) {
      const Case one{ranks, rows, columns, layers, n, n, 4, Pivoting::tournament};
      const Matrix<T> given =
          A.spread(communicator, Layout::block(n, n, choose_grid(communicator.size())));
      const auto factors = factorise(given, this->kernels, one.options());
      const auto determinant = factors.determinant();
      require(std::abs(std::complex<double>(determinant.sign) - sign) < 1e-3, "{}: sign",
              one.text());
      require(std::abs(determinant.logarithm_of_size - logarithm) < 1e-3, "{}: logarithm {}",
              one.text(), determinant.logarithm_of_size);
      require(std::abs(factors.one_norm() - A.one_norm()) <= 1e-4 * A.one_norm(), "{}: norm",
              one.text());
      const double condition = factors.reciprocal_condition();
      require(condition >= expected * 0.99 && condition <= 3 * expected, "{}: {} instead of {}",
              one.text(), condition, expected);
      Matrix<T> inverse(communicator, given.layout());
      factors.inverse(inverse);
      require(std::abs(norm(Norm::one, inverse) - inverse_norm) <= 1e-2 * inverse_norm,
              "{}: an inverse of norm {} instead of {}", one.text(), norm(Norm::one, inverse),
              inverse_norm);
      const double of_rows = factors.reciprocal_condition(Norm::infinity);
      const double exact = 1.0 / (norm(Norm::infinity, given) * norm(Norm::infinity, inverse));
      require(of_rows >= exact * 0.98 && of_rows <= 3 * exact, "{}: {} instead of {}", one.text(),
              of_rows, exact);
    });
  }
}

TYPED_TEST(LuTest, TheSameBitsEveryTime) {
  using T = TypeParam;
  constexpr std::int64_t n = 50;
  const auto A = WholeMatrix<T>::random(n, n);
  for (const Pivoting pivoting : {Pivoting::none, Pivoting::tournament, Pivoting::partial}) {
    run_ranks(8, [&](Communicator& communicator) {
      const Layout layout = Layout::block(n, n, choose_grid(8));
      const Matrix<T> given = A.spread(communicator, layout);
      std::vector<T> first;
      for (int round = 0; round < 3; ++round) {
        const auto factors =
            factorise(given, this->kernels, {.pivoting = pivoting, .layers = 2, .block = 6});
        Matrix<T> back(communicator, layout);
        factors.copy_to(back);
        const auto whole = WholeMatrix<T>::gathered(back);
        if (round == 0) first = whole.values;
        require(whole.values == first, "{}: other bits", to_string(pivoting));
      }
    });
  }
}

TEST(Lu, RefusesWhatMakesNoSense) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  run_ranks(4, [&](Communicator& communicator) {
    Matrix<double> A(communicator, Layout::block(10, 10, GridShape(2, 2)));
    Matrix<double> wide(communicator, Layout::block(10, 12, GridShape(2, 2)));
    A.fill_random(1);
    wide.fill_random(1);
    const auto refused = [&](const FactoriseOptions& options,
                             std::initializer_list<std::string> parts) {
      require_error([&] { factorise(A, kernels, options); }, ErrorCode::invalid_argument, parts);
    };
    refused({.layers = 0}, {"0 layers", "1 to 4"});
    refused({.layers = 5}, {"5 layers"});
    refused({.block = 0}, {"block 0"});
    refused({.grid = GridShape(2, 2), .layers = 2}, {"2x2x2", "8 ranks", "there are 4"});
    require_error([&] { factorise(A, kernels, {.memory_limit = 10}); }, ErrorCode::out_of_memory,
                  {"memory limit is 10"});
    require_error([&] { cholesky(wide, kernels); }, ErrorCode::invalid_argument, {"10x12"});
    const auto factors = factorise(wide, kernels);
    require_error([&] { factors.solve(A); }, ErrorCode::invalid_argument, {"square"});
    require_error([&] { factors.determinant(); }, ErrorCode::invalid_argument, {"square"});
    require_error(
        [&] {
          factorise(A, kernels)
              .solve(*std::make_unique<Matrix<double>>(communicator,
                                                       Layout::block(11, 1, GridShape(2, 2))));
        },
        ErrorCode::invalid_argument, {"11x1", "10 rows"});
    require_error(
        [&] {
          trsm(MatrixSide::left, Triangle::lower, Op::none, Diagonal::unit, 1.0, wide, A, kernels);
        },
        ErrorCode::invalid_argument, {"10x12"});
  });
}

}  // namespace lu_factorise_test
}  // namespace cuboid::detail
