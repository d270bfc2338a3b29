// QR of matrices that are hard to orthogonalise: errors are at most 10 times those of LAPACK's
// Householder QR.

#include <cuboid/communicator.hpp>
#include <cuboid/qr.hpp>

#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/qr/qr_factors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace qr_stability_test {

struct HardMatrix {
  std::string name;
  WholeMatrix<double> values;
  bool full_rank = true;
};

/// Columns that Gram-Schmidt and the normal equations cannot tell from each other (Läuchli 1961):
/// ones above a small multiple of the identity.
WholeMatrix<double> laeuchli(std::int64_t n, double small) {
  return WholeMatrix<double>::made(n + 1, n, [&](std::int64_t i, std::int64_t j) {
    return i == 0 ? 1.0 : i == j + 1 ? small : 0.0;
  });
}

std::vector<HardMatrix> hard_matrices() {
  constexpr std::int64_t m = 90, n = 24;
  const auto random = WholeMatrix<double>::random(m, n);
  const auto made = [&](const std::function<double(std::int64_t, std::int64_t)>& element) {
    return WholeMatrix<double>::made(m, n, element);
  };
  return {
      {"random", random},
      {"Laeuchli, 1e-9", laeuchli(n, 1e-9)},
      {"Laeuchli, 1e-20", laeuchli(n, 1e-20)},
      {"graded rows", made([&](auto i, auto j) {
         return random(i, j) * std::pow(10.0, -12.0 * static_cast<double>(i) / m);
       })},
      {"graded rows, small first", made([&](auto i, auto j) {
         return random(i, j) * std::pow(10.0, 12.0 * static_cast<double>(i) / m - 12);
       })},
      {"graded columns", made([&](auto i, auto j) {
         return random(i, j) * std::pow(10.0, -14.0 * static_cast<double>(j) / n);
       })},
      {"Vandermonde", made([](auto i, auto j) {
         return std::pow(static_cast<double>(i) / m, static_cast<double>(j));
       })},
      {"rank 1", made([&](auto i, auto j) { return random(i, 0) * random(j, 1); }), false},
      {"rank 5",
       times(Op::none, WholeMatrix<double>::random(m, 5, 21),
             WholeMatrix<double>::random(5, n, 22)),
       false},
      {"zero", WholeMatrix<double>(m, n), false},
      {"equal columns", made([&](auto i, auto) { return random(i, 0); }), false},
      {"first rows alone", made([&](auto i, auto j) { return i < 3 ? random(i, j) : 0.0; }), false},
      {"last rows alone", made([&](auto i, auto j) { return i >= m - 3 ? random(i, j) : 0.0; }),
       false},
      {"identity", made([](auto i, auto j) { return i == j ? 1.0 : 0.0; })},
      {"nearly overflowing", made([&](auto i, auto j) { return random(i, j) * 1e150; })},
      {"nearly underflowing", made([&](auto i, auto j) { return random(i, j) * 1e-150; })},
  };
}

/// The solution by LAPACK's QR.
WholeMatrix<double> lapack_least_squares(const WholeMatrix<double>& A, const WholeMatrix<double>& B,
                                         const LocalKernels& kernels) {
  auto [Q, R] = LapackQr<double>(A, kernels).whole();
  auto X = times(Op::conjugate_transpose, Q, B);
  X = WholeMatrix<double>::made(A.n, B.n, [&](auto i, auto j) { return X(i, j); });
  kernels.lapack.trsm(MatrixSide::left, Triangle::upper, Op::none, Diagonal::stored, 1.0, R.view(),
                      X.view());
  return X;
}

/// The largest Aᴴ·(B − A·X), which is 0 for the solution, in columns a of A and x of X:
/// |aᴴ·r| / (|a|·(‖B‖ + Σ|a|·|x|)), so that graded columns count alike.
double least_squares_error(const WholeMatrix<double>& A, const WholeMatrix<double>& B,
                           const WholeMatrix<double>& X) {
  const auto largest_of = [&](std::int64_t column) {
    double largest = 0;
    for (std::int64_t i = 0; i < A.m; ++i) largest = std::max(largest, std::abs(A(i, column)));
    return largest;
  };
  const auto left = times(Op::none, A, X);
  const auto residual =
      WholeMatrix<double>::made(A.m, B.n, [&](auto i, auto j) { return B(i, j) - left(i, j); });
  const auto product = times(Op::conjugate_transpose, A, residual);
  double error = 0;
  for (std::int64_t j = 0; j < B.n; ++j) {
    double size = B.largest();
    for (std::int64_t k = 0; k < A.n; ++k) size += largest_of(k) * std::abs(X(k, j));
    for (std::int64_t k = 0; k < A.n; ++k)
      error = std::max(error, std::abs(product(k, j)) / (largest_of(k) * size));
  }
  return error;
}

/// Calls check(communicator, matrix) for every hard matrix, on worlds of these sizes.
void for_hard_matrices(const std::function<void(Communicator&, const HardMatrix&)>& check,
                       std::initializer_list<int> worlds) {
  const std::vector<HardMatrix> matrices = hard_matrices();
  on_worlds(
      [&](Communicator& communicator) {
        for (const HardMatrix& hard : matrices) check(communicator, hard);
      },
      worlds);
}

TEST(QrStability, LeastSquaresAreThoseOfLapack) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  for_hard_matrices(
      [&](Communicator& communicator, const HardMatrix& hard) {
        const int ranks = communicator.size();
        if (!hard.full_rank) return;
        const WholeMatrix<double>& A = hard.values;
        const auto B = WholeMatrix<double>::random(A.m, 2, 31);
        const double lapack = least_squares_error(A, B, lapack_least_squares(A, B, kernels));
        for (const GridShape& grid : {GridShape(ranks, 1), choose_grid(ranks)}) {
          Matrix<double> X(communicator, Layout::block(A.n, 2, GridShape(ranks, 1)));
          least_squares(A.spread(communicator, Layout::block(A.m, A.n, GridShape(1, ranks))),
                        B.spread(communicator, Layout::block(A.m, 2, GridShape(ranks, 1))), X,
                        kernels, {.grid = grid, .block = 5});
          const double error = least_squares_error(A, B, WholeMatrix<double>::gathered(X));
          const double allowed = 10 * std::max(lapack, epsilon_of<double>());
          require(error <= allowed, "{}, {}: error {} > {}", hard.name, to_string(grid), error,
                  allowed);
        }
      },
      {1, 2, 5, 8});
}

TEST(QrStability, ErrorsAreThoseOfLapack) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  for_hard_matrices(
      [&](Communicator& communicator, const HardMatrix& hard) {
        const int ranks = communicator.size();
        const WholeMatrix<double>& A = hard.values;
        const WholeQr<double> lapack = LapackQr<double>(A, kernels).whole();
        const double least = epsilon_of<double>();
        // Panels over one process column, and over a grid, whole and in several.
        for (const GridShape& grid : {GridShape(ranks, 1), choose_grid(ranks)}) {
          for (const std::int64_t block : {5, 32}) {
            const auto factors =
                qr(A.spread(communicator, Layout::block(A.m, A.n, GridShape(1, ranks))), kernels,
                   {.grid = grid, .block = block});
            const auto whole = WholeQr<double>::gathered(factors, communicator);
            const double residual = whole.residual(A),
                         residual_allowed = 10 * std::max(lapack.residual(A), least * A.largest());
            require(residual <= residual_allowed, "{}, {} in blocks of {}: residual {} > {}",
                    hard.name, to_string(grid), block, residual, residual_allowed);
            const double orthogonality = whole.orthogonality(),
                         allowed = 10 * std::max(lapack.orthogonality(), least);
            require(orthogonality <= allowed, "{}, {} in blocks of {}: orthogonality {} > {}",
                    hard.name, to_string(grid), block, orthogonality, allowed);
          }
        }
      },
      {1, 2, 3, 5, 8});
}

}  // namespace qr_stability_test
}  // namespace cuboid::detail
