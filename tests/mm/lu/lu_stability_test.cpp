// How accurate LU is on matrices that are known to be hard, and how it ends when a rank does.

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/elementwise.hpp>
#include <cuboid/error.hpp>
#include <cuboid/mixed_precision.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/lu/factorise_plan.hpp"
#include "mm/matrix/random_element.hpp"
#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/whole_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cuboid::detail {
namespace lu_stability_test {

struct Hard {
  std::string name;
  std::function<double(std::int64_t, std::int64_t)> element;
};

double random_element(std::int64_t i, std::int64_t j) {
  return RandomColumn(11, Global<Column>(j)).at<double>(Global<Row>(i));
}

std::vector<Hard> hard_matrices(std::int64_t n) {
  const double size = static_cast<double>(n);
  return {
      {"random", random_element},
      // Orthogonal: discrete sines.
      {"orthogonal",
       [size](std::int64_t i, std::int64_t j) {
         const double turns = std::fmod(static_cast<double>((i + 1) * (j + 1)), 2 * (size + 1));
         return std::sqrt(2 / (size + 1)) * std::sin(turns * M_PI / (size + 1));
       }},
      // Partial pivoting's worst: growth of 2^(n-1) where it is large; here 2^12.
      {"Wilkinson's",
       [n](std::int64_t i, std::int64_t j) {
         if (j == n - 1) return 1.0;
         if (i == j) return 1.0;
         return i > j && j < 12 ? -1.0 : 0.0;
       }},
      {"Hilbert-like",
       [](std::int64_t i, std::int64_t j) {
         return 1 / static_cast<double>(i + j + 1) + (i == j ? 1e-8 : 0.0);
       }},
      // Quadrature of a Volterra equation (Foster 1994).
      {"Foster's",
       [n, size](std::int64_t i, std::int64_t j) {
         const double h = 1 / (size - 1), kh = 8 * h;
         if (i == j) return i == 0 ? 1.0 : 1 - kh / 2;
         if (j == n - 1) return i == n - 1 ? 1 - 1.0 / 40 - kh / 2 : -1.0 / 40;
         if (j == 0) return -kh / 2;
         return i > j ? -kh : 0.0;
       }},
      {"badly scaled",
       [](std::int64_t i, std::int64_t j) {
         return random_element(i, j) * std::pow(10.0, static_cast<double>(i % 13) - 6) *
                std::pow(10.0, static_cast<double>(j % 7) - 3);
       }},
      {"nearly singular",
       [n](std::int64_t i, std::int64_t j) {
         return random_element(i, j == n - 1 ? 0 : j) +
                (j == n - 1 ? 1e-12 * static_cast<double>(i) : 0.0);
       }},
  };
}

double largest(const Communicator& communicator, const Matrix<double>& matrix) {
  double size = 0;
  for (std::int64_t j = 0; j < matrix.local_columns(); ++j)
    for (std::int64_t i = 0; i < matrix.local_rows(); ++i)
      size = std::max(size, std::abs(matrix.local()(i, j)));
  allreduce(communicator, std::span(&size, 1), std::span(&size, 1), Reduction::Kind::maximum);
  return size;
}

struct Stability {
  double residual;  ///< max|A·X − B| / (ε·n·max|A|·max|X|·n)
  double growth;    ///< max|U| / max|A|
};

Stability stability(const Communicator& communicator, const Hard& hard, std::int64_t n,
                    const LocalKernels& kernels, const FactoriseOptions& options) {
  const GridShape grid = choose_grid(communicator.size());
  Matrix<double> A(communicator, Layout::block(n, n, grid)), U(communicator, A.layout());
  A.fill([&](Global<Row> i, Global<Column> j) { return hard.element(i.value, j.value); });
  Matrix<double> B(communicator, Layout::block(n, 2, grid)), X(communicator, B.layout());
  B.fill_random(3);
  redistribute(Op::none, B, X);
  const auto factors = factorise(A, kernels, options);
  require(factors.info() == 0, "{}: info {}", hard.name, factors.info());
  factors.solve(X);
  multiply<double>(-1.0, A, X, 1.0, B, kernels.gemm);
  factors.copy_to(U);
  const auto here = U.position();
  for (Local<Column> j; here && j.value < U.local_columns(); ++j) {
    const auto column = U.layout().columns().global(here->column, j);
    for (Local<Row> i; i.value < U.local_rows(); ++i) {
      if (U.layout().rows().global(here->row, i).value > column.value) U(i, j) = 0;
    }
  }
  const double size = static_cast<double>(n), of_a = largest(communicator, A);
  return {largest(communicator, B) / (std::numeric_limits<double>::epsilon() * size *
                                      (size * of_a * largest(communicator, X) + 1)),
          largest(communicator, U) / of_a};
}

/// On grids of several rows, so that there is a tournament. Also prints what docs/factorisation.md
/// tells of it.
void expect_stable(std::int64_t n, int layers, std::int64_t block) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  run_ranks(8, [&](Communicator& communicator) {
    for (const Hard& hard : hard_matrices(n)) {
      FactoriseOptions options{.grid = GridShape(4 / layers, 2), .layers = layers, .block = block};
      const auto tournament = stability(communicator, hard, n, kernels, options);
      options.pivoting = Pivoting::partial;
      const auto partial = stability(communicator, hard, n, kernels, options);
      if (communicator.rank() == 0) {
        fmt::print("{}, n = {}, {} layers: residual {:.1e} and {:.1e}, growth {:.3g} and {:.3g}\n",
                   hard.name, n, layers, tournament.residual, partial.residual, tournament.growth,
                   partial.growth);
      }
      // HPL accepts 16.
      require(tournament.residual <= std::max(10 * partial.residual, 1e-3),
              "{}, {} layers: {} instead of {}", hard.name, layers, tournament.residual,
              partial.residual);
      require(partial.residual <= 16, "{}, {} layers: {}", hard.name, layers, partial.residual);
      require(tournament.growth <= 10 * partial.growth, "{}, {} layers: grows by {} instead of {}",
              hard.name, layers, tournament.growth, partial.growth);
    }
  });
}

TEST(LuStability, ATournamentIsAsGoodAsPartialPivoting) {
  expect_stable(200, 1, 16);
  expect_stable(200, 2, 16);
}

TEST(LuStability, ATournamentIsAsGoodOnLargeMatrices) {
  expect_stable(1000, 2, 32);
  expect_stable(2000, 1, 64);
}

constexpr std::int64_t n = 200;

/// A⁻¹ by LAPACK's getrf, and as its getri inverts: X·L = U⁻¹.
WholeMatrix<double> lapack_inverse(const Hard& hard, const LocalKernels& kernels) {
  auto factors = WholeMatrix<double>::made(n, n, hard.element);
  auto X = WholeMatrix<double>::made(n, n, [](auto i, auto j) { return i == j ? 1.0 : 0.0; });
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  kernels.lapack.getrf(factors.view(), std::span(pivots));
  kernels.lapack.trsm(MatrixSide::left, Triangle::upper, Op::none, Diagonal::stored, 1.0,
                      factors.view(), X.view());
  kernels.lapack.trsm(MatrixSide::right, Triangle::lower, Op::none, Diagonal::unit, 1.0,
                      factors.view(), X.view());
  for (std::int64_t k = n - 1; k >= 0; --k) {
    for (std::int64_t i = 0; i < n; ++i)
      std::swap(X(i, k), X(i, pivots[static_cast<std::size_t>(k)]));
  }
  return X;
}

TEST(LuStability, InversesAndMixedPrecisionAreAsGoodAsSolutions) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  run_ranks(4, [&](Communicator& communicator) {
    constexpr double size = static_cast<double>(n);
    for (const Hard& hard : hard_matrices(n)) {
      const FactoriseOptions options{.grid = GridShape(2, 2), .block = 16};
      const double of_solution = stability(communicator, hard, n, kernels, options).residual;
      Matrix<double> A(communicator, Layout::block(n, n, GridShape(2, 2)));
      A.fill([&](Global<Row> i, Global<Column> j) { return hard.element(i.value, j.value); });
      const auto scaled = [&](const Matrix<double>& residual, const Matrix<double>& X) {
        return largest(communicator, residual) /
               (std::numeric_limits<double>::epsilon() * size *
                (size * largest(communicator, A) * largest(communicator, X) + 1));
      };
      const auto error_of_inverse = [&](const Matrix<double>& X) {
        Matrix<double> residual(communicator, A.layout());
        laset({}, 0.0, 1.0, residual);
        multiply<double>(-1.0, X, A, 1.0, residual, kernels.gemm);
        return scaled(residual, X);
      };
      Matrix<double> X(communicator, A.layout());
      factorise(A, kernels, options).inverse(X);
      const double of_inverse = error_of_inverse(X);
      const double of_lapacks =
          error_of_inverse(lapack_inverse(hard, kernels).spread(communicator, A.layout()));

      Matrix<double> B(communicator, Layout::block(n, 2, GridShape(2, 2)));
      Matrix<double> Y(communicator, B.layout());
      B.fill_random(3);
      redistribute(Op::none, B, Y);
      const auto mixed = solve_mixed(A, Y, kernels, {.factorise = options});
      multiply<double>(-1.0, A, Y, 1.0, B, kernels.gemm);
      const double of_mixed = scaled(B, Y);
      if (communicator.rank() == 0) {
        fmt::print(
            "{}: solution {:.1e}, inverse {:.1e} (LAPACK's {:.1e}), mixed precision {:.1e} by {}\n",
            hard.name, of_solution, of_inverse, of_lapacks, of_mixed, to_string(mixed.method));
      }
      require(of_inverse <= std::max(10 * of_lapacks, 1e-3),
              "{}: the inverse's residual is {}, not {}", hard.name, of_inverse, of_lapacks);
      require(of_mixed <= std::max(10 * of_solution, 1e-3),
              "{}: mixed precision's residual is {}, the solution's {}", hard.name, of_mixed,
              of_solution);
    }
  });
}

TEST(LuStability, RefinementMakesAResidualNoWorse) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  run_ranks(4, [&](Communicator& communicator) {
    const Layout layout = Layout::block(n, n, GridShape(2, 2));
    Matrix<float> A(communicator, layout);
    A.fill_random(1);
    Matrix<float> B(communicator, Layout::block(n, 1, GridShape(4, 1))),
        X(communicator, B.layout());
    B.fill_random(2);
    redistribute(Op::none, B, X);
    const auto factors = factorise(A, kernels, {.pivoting = Pivoting::none, .block = 8});
    factors.solve(X);
    const auto error = [&] {
      Matrix<float> R(communicator, B.layout());
      redistribute(Op::none, B, R);
      multiply<float>(-1.0F, A, X, 1.0F, R, kernels.gemm);
      double sum = 0;
      for (std::int64_t i = 0; i < R.local_rows(); ++i) sum += std::abs(R.local()(i, 0));
      allreduce(communicator, std::span(&sum, 1), std::span(&sum, 1), Reduction::Kind::sum);
      return sum;
    };
    const double before = error();
    refine(factors, A, B, X, 2, kernels);
    // Without pivoting much has been lost; the working precision's own level comes back.
    require(error() <= std::max(before / 2, 1e-2), "{} instead of less than {}", error(), before);
  });
}

TEST(LuStability, WhatIsNotFiniteIsSaid) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  for (const Pivoting pivoting : {Pivoting::none, Pivoting::tournament, Pivoting::partial}) {
    run_ranks(4, [&](Communicator& communicator) {
      Matrix<double> A(communicator, Layout::block(30, 30, GridShape(2, 2)));
      A.fill_random(1);
      require(factorise(A, kernels, {.pivoting = pivoting}).is_finite(), "{}: finite",
              to_string(pivoting));
      A.fill([](Global<Row> i, Global<Column> j) {
        return i.value == 17 && j.value == 5 ? std::nan("") : random_element(i.value, j.value);
      });
      require(!factorise(A, kernels, {.pivoting = pivoting}).is_finite(), "{}: not finite",
              to_string(pivoting));
      // Right of U's diagonal, which stays finite.
      Matrix<double> wide(communicator, Layout::block(20, 30, GridShape(2, 2)));
      wide.fill([](Global<Row> i, Global<Column> j) {
        return i.value == 3 && j.value == 25 ? -HUGE_VAL : random_element(i.value, j.value);
      });
      require(!factorise(wide, kernels, {.pivoting = pivoting}).is_finite(), "{}: beside U",
              to_string(pivoting));
      // A finite diagonal whose absolute values are not.
      Matrix<std::complex<double>> diagonal(communicator, Layout::block(6, 6, GridShape(2, 2)));
      diagonal.fill([](Global<Row> i, Global<Column> j) {
        return i.value == j.value ? std::complex<double>(1.5e308, 1.5e308) : 0;
      });
      require(factorise(diagonal, kernels, {.pivoting = pivoting}).is_finite(),
              "{}: large real and imaginary parts", to_string(pivoting));
      // Finite elements whose sum is not.
      A.fill([](Global<Row> i, Global<Column> j) {
        if (i.value == j.value) return 1.7e308;
        return i.value < j.value ? 1e307 : 0;
      });
      require(factorise(A, kernels, {.pivoting = pivoting}).is_finite(), "{}: a large sum",
              to_string(pivoting));
    });
  }
}

TEST(LuFailures, WhereOneRankEndsAllAreTold) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  int told = 0;
  std::mutex mutex;
  const auto body = [&](Communicator& communicator) {
    Matrix<double> A(communicator, Layout::block(n, n, GridShape(2, 2)));
    A.fill_random(1);
    try {
      factorise(A, kernels, {.grid = GridShape(2, 2), .block = 16});
      // Others may still be in the first factorisation: they are told there.
      if (communicator.rank() == 2) throw Wrong("rank 2 ends in the midst");
      factorise(A, kernels, {.grid = GridShape(2, 2), .block = 16});
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      told += error.code() == ErrorCode::peer_failed ? 1 : 0;
      throw;
    }
  };
  EXPECT_THROW(run_ranks(4, body), Wrong);
  EXPECT_EQ(told, 3);
}

}  // namespace lu_stability_test
}  // namespace cuboid::detail
