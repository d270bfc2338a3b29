// LU, Cholesky and what is solved with them on ranks that are threads, against LAPACK and products
// written out.

#include <cuboid/broadcast.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/lu/factorise_plan.hpp"
#include "mm/matrix/random_element.hpp"
#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/whole_matrix.hpp"

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
namespace {

constexpr std::uint64_t seed = 7;

/// ‖P·A − L·U‖ in its largest element, over max|U|, as rounding explains it.
template <MatrixElement T>
double factor_error(WholeMatrix<T> A, const WholeMatrix<T>& F, std::span<const std::int64_t> swaps,
                    bool cholesky = false) {
  for (std::size_t k = 0; k < swaps.size(); ++k) {
    for (std::int64_t j = 0; j < A.n; ++j)
      std::swap(A(static_cast<std::int64_t>(k), j), A(swaps[k], j));
  }
  double error = 0;
  for (std::int64_t j = 0; j < A.n; ++j) {
    for (std::int64_t i = 0; i < A.m; ++i) {
      T sum{};
      for (std::int64_t k = 0; k <= std::min({i, j, std::min(A.m, A.n) - 1}); ++k)
        sum += (k == i && !cholesky ? T(1) : F(i, k)) * F(k, j);
      error = std::max(error, static_cast<double>(std::abs(sum - A(i, j))));
    }
  }
  return error;
}

struct Case {
  int ranks;
  int rows, columns, layers;
  std::int64_t m, n, block;
  Pivoting pivoting;

  std::string text() const {
    return fmt::format("{} ranks, {}x{}x{}, {}x{} in blocks of {}, {}", ranks, rows, columns,
                       layers, m, n, block, to_string(pivoting));
  }
  FactoriseOptions options() const {
    return {
        .pivoting = pivoting, .grid = GridShape(rows, columns), .layers = layers, .block = block};
  }
};

const std::vector<std::array<int, 4>> grids = {
    // ranks, rows, columns, layers
    {1, 1, 1, 1}, {2, 1, 2, 1}, {2, 2, 1, 1},  {2, 1, 1, 2},  {3, 3, 1, 1},
    {3, 1, 2, 1}, {3, 1, 1, 3}, {4, 2, 2, 1},  {4, 1, 2, 2},  {5, 2, 1, 2},
    {6, 2, 3, 1}, {8, 2, 2, 2}, {12, 2, 2, 3}, {16, 2, 2, 4}, {16, 4, 4, 1},
};

const std::vector<std::array<std::int64_t, 3>> shapes = {
    // m, n, block
    {0, 0, 4},   {1, 1, 4},   {4, 4, 4},    {5, 5, 4},    {16, 16, 4}, {17, 17, 4},
    {23, 23, 3}, {9, 9, 1},   {30, 30, 64}, {20, 9, 4},   {9, 20, 4},  {40, 40, 7},
    {0, 3, 2},   {33, 5, 16}, {2, 31, 8},   {64, 64, 16},
};

template <MatrixElement T>
void expect_factors(const Case& one, const Communicator& communicator, const WholeMatrix<T>& A,
                    const LocalKernels& kernels, bool cholesky_wanted = false) {
  const Layout layout = Layout::block_cyclic(one.m, one.n, 5, 3, choose_grid(one.ranks));
  const Matrix<T> given = A.spread(communicator, layout);
  const auto factors = cholesky_wanted ? cholesky(given, kernels, one.options())
                                       : factorise(given, kernels, one.options());
  Matrix<T> given_back(communicator, layout);
  factors.copy_to(given_back);
  const WholeMatrix<T> F = WholeMatrix<T>::gathered(given_back);
  require(factors.info() == 0, "{}: info {}", one.text(), factors.info());
  require(std::ssize(factors.pivots()) == std::min(one.m, one.n), "{}: {} pivots", one.text(),
          factors.pivots().size());
  const double error = factor_error<T>(A, F, factors.pivots(), cholesky_wanted);
  const double allowed =
      30 * static_cast<double>(one.n + 8) * epsilon_of<T>() * std::max(F.largest(), A.largest());
  require(error <= allowed, "{}: error {} > {}", one.text(), error, allowed);
}

template <class T>
class LuTest : public testing::Test {
 protected:
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LuTest, Types);

/// Every grid with every shape.
template <class Body>
void for_each_case(Pivoting pivoting, const Body& body) {
  for (const auto& [ranks, rows, columns, layers] : grids) {
    std::string failed;
    try {
      run_ranks(ranks, [&](Communicator& communicator) {
        for (const auto& [m, n, block] : shapes)
          body(communicator, Case{ranks, rows, columns, layers, m, n, block, pivoting});
      });
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TYPED_TEST(LuTest, WithoutPivotingFactorsMultiplyToTheMatrix) {
  for_each_case(Pivoting::none, [&](Communicator& communicator, const Case& one) {
    auto A = WholeMatrix<TypeParam>::random(one.m, one.n);
    for (std::int64_t k = 0; k < std::min(one.m, one.n); ++k)
      A(k, k) += TypeParam(static_cast<RealOf<TypeParam>>(one.m + one.n));
    expect_factors<TypeParam>(one, communicator, A, this->kernels);
  });
}

TYPED_TEST(LuTest, WithATournamentFactorsMultiplyToThePermutedMatrix) {
  for_each_case(Pivoting::tournament, [&](Communicator& communicator, const Case& one) {
    expect_factors<TypeParam>(one, communicator, WholeMatrix<TypeParam>::random(one.m, one.n),
                              this->kernels);
  });
}

TYPED_TEST(LuTest, WithPartialPivotingThePivotsAreLapacks) {
  using T = TypeParam;
  for_each_case(Pivoting::partial, [&](Communicator& communicator, const Case& one) {
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

/// Xᴴ·X + n·1.
template <MatrixElement T>
WholeMatrix<T> positive_definite(std::int64_t n) {
  const auto X = WholeMatrix<T>::random(n, n);
  return WholeMatrix<T>::made(n, n, [&](std::int64_t i, std::int64_t j) {
    T sum = i == j ? T(static_cast<RealOf<T>>(n)) : T(0);
    for (std::int64_t k = 0; k < n; ++k) sum += conjugate(X(k, i)) * X(k, j);
    return sum;
  });
}

TYPED_TEST(LuTest, CholeskyReadsTheLowerTriangle) {
  using T = TypeParam;
  for_each_case(Pivoting::none, [&](Communicator& communicator, const Case& one) {
    if (one.m != one.n) return;
    const auto A = positive_definite<T>(one.n);
    expect_factors<T>(one, communicator, A, this->kernels, true);
    auto lower = A;
    for (std::int64_t j = 0; j < one.n; ++j)
      for (std::int64_t i = 0; i < j; ++i) lower(i, j) = T(99);
    const Layout layout = Layout::block(one.n, one.n, GridShape(one.ranks, 1));
    const auto factors = cholesky(lower.spread(communicator, layout), this->kernels, one.options());
    Matrix<T> given_back(communicator, layout);
    factors.copy_to(given_back);
    const double error = factor_error<T>(A, WholeMatrix<T>::gathered(given_back), {}, true);
    require(error <= 30 * static_cast<double>(one.n + 8) * epsilon_of<T>() * (A.largest() + 1),
            "{}: error {}", one.text(), error);
  });
}

/// max |op(A)·X − B| over what rounding explains of a backward stable solve.
template <MatrixElement T>
double scaled_residual(const WholeMatrix<T>& A, Op op, const WholeMatrix<T>& X,
                       const WholeMatrix<T>& B) {
  const auto element = [&](std::int64_t i, std::int64_t k) {
    if (op == Op::none) return A(i, k);
    return op == Op::transpose ? A(k, i) : conjugate(A(k, i));
  };
  double residual = 0;
  for (std::int64_t j = 0; j < B.n; ++j) {
    for (std::int64_t i = 0; i < A.n; ++i) {
      T sum{};
      for (std::int64_t k = 0; k < A.n; ++k) sum += element(i, k) * X(k, j);
      residual = std::max(residual, static_cast<double>(std::abs(sum - B(i, j))));
    }
  }
  const double size = static_cast<double>(A.n) * A.largest() * X.largest() + B.largest();
  return residual == 0 ? 0 : residual / (epsilon_of<T>() * size * static_cast<double>(A.n));
}

TYPED_TEST(LuTest, SolvesForManyRightHandSides) {
  using T = TypeParam;
  for_each_case(Pivoting::tournament, [&](Communicator& communicator, const Case& one) {
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

TYPED_TEST(LuTest, CholeskySolves) {
  using T = TypeParam;
  for_each_case(Pivoting::none, [&](Communicator& communicator, const Case& one) {
    if (one.m != one.n) return;
    const auto A = positive_definite<T>(one.n);
    const Layout layout = Layout::block(one.n, one.n, choose_grid(one.ranks));
    const auto factors = cholesky(A.spread(communicator, layout), this->kernels, one.options());
    const auto B = WholeMatrix<T>::random(one.n, 3, seed + 1);
    Matrix<T> X = B.spread(communicator, Layout::block(one.n, 3, choose_grid(one.ranks)));
    factors.solve(X);
    const double residual = scaled_residual(A, Op::none, WholeMatrix<T>::gathered(X), B);
    require(residual <= 30, "{}: residual {}", one.text(), residual);
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

TYPED_TEST(LuTest, CholeskyNamesTheMinorThatIsNotPositive) {
  using T = TypeParam;
  constexpr std::int64_t n = 12;
  auto A = positive_definite<T>(n);
  A(7, 7) = T(-1);
  on_worlds(
      [&](Communicator& communicator) {
        const Layout layout = Layout::block(n, n, choose_grid(communicator.size()));
        const auto factors = cholesky(A.spread(communicator, layout), this->kernels, {.block = 3});
        require(factors.info() == 8, "info {}", factors.info());
      },
      {1, 4, 5});
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

}  // namespace
}  // namespace cuboid::detail
