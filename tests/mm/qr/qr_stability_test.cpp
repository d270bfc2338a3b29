// QR of matrices that are hard to orthogonalise: errors are at most 10 times those of LAPACK's
// Householder QR.

#include <cuboid/communicator.hpp>
#include <cuboid/qr.hpp>

#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/qr/qr_factors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

struct HardMatrix {
  std::string name;
  WholeMatrix<double> values;
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
      {"rank 1", made([&](auto i, auto j) { return random(i, 0) * random(j, 1); })},
      {"rank 5", times(Op::none, WholeMatrix<double>::random(m, 5, 21),
                       WholeMatrix<double>::random(5, n, 22))},
      {"zero", WholeMatrix<double>(m, n)},
      {"equal columns", made([&](auto i, auto) { return random(i, 0); })},
      {"first rows alone", made([&](auto i, auto j) { return i < 3 ? random(i, j) : 0.0; })},
      {"last rows alone", made([&](auto i, auto j) { return i >= m - 3 ? random(i, j) : 0.0; })},
      {"identity", made([](auto i, auto j) { return i == j ? 1.0 : 0.0; })},
      {"nearly overflowing", made([&](auto i, auto j) { return random(i, j) * 1e150; })},
      {"nearly underflowing", made([&](auto i, auto j) { return random(i, j) * 1e-150; })},
  };
}

TEST(QrStability, ErrorsAreThoseOfLapack) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  const std::vector<HardMatrix> matrices = hard_matrices();
  on_worlds(
      [&](Communicator& communicator) {
        const int ranks = communicator.size();
        for (const HardMatrix& hard : matrices) {
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
                           residual_allowed =
                               10 * std::max(lapack.residual(A), least * A.largest());
              require(residual <= residual_allowed, "{}, {} in blocks of {}: residual {} > {}",
                      hard.name, to_string(grid), block, residual, residual_allowed);
              const double orthogonality = whole.orthogonality(),
                           allowed = 10 * std::max(lapack.orthogonality(), least);
              require(orthogonality <= allowed, "{}, {} in blocks of {}: orthogonality {} > {}",
                      hard.name, to_string(grid), block, orthogonality, allowed);
            }
          }
        }
      },
      {1, 2, 3, 5, 8});
}

}  // namespace
}  // namespace cuboid::detail
