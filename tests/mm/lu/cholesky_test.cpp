// Cholesky and what is solved with it on ranks that are threads, against products written out and
// LAPACK.

#include <cuboid/communicator.hpp>
#include <cuboid/factorise.hpp>

#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/every_element_type.hpp"
#include "tests/mm/lu/lu_cases.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace cholesky_test {

template <class T>
class CholeskyTest : public testing::Test {
 protected:
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
};
TYPED_TEST_SUITE(CholeskyTest, EveryElementType);

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

bool is_in(Triangle triangle, std::int64_t i, std::int64_t j) {
  return triangle == Triangle::lower ? i >= j : i <= j;
}

/// A matrix of which one triangle is left, and NaN in the other.
template <MatrixElement T>
WholeMatrix<T> only(Triangle triangle, const WholeMatrix<T>& A) {
  return WholeMatrix<T>::made(A.m, A.n, [&](std::int64_t i, std::int64_t j) {
    return is_in(triangle, i, j) ? A(i, j) : T(std::numeric_limits<RealOf<T>>::quiet_NaN());
  });
}

/// Grids besides those of LU's tests, on which the rows of L for a grid column's columns come from
/// one, two or all grid rows.
template <MatrixElement T, class Body>
void for_each_square(const Body& body) {
  for_each_case<T>(Pivoting::none, [&](Communicator& communicator, const Case& one) {
    if (one.m == one.n) body(communicator, one);
  });
  constexpr std::array<std::array<int, 3>, 4> further = {
      {{3, 2, 1}, {4, 2, 1}, {3, 4, 1}, {3, 2, 2}}};
  for (const auto& [rows, columns, layers] : further) {
    const int ranks = rows * columns * layers;
    try {
      run_ranks(ranks, [&](Communicator& communicator) {
        for (const std::int64_t n : {11, 50})
          body(communicator, Case{ranks, rows, columns, layers, n, n, 4, Pivoting::none});
      });
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TYPED_TEST(CholeskyTest, ReadsOneTriangleAndSolves) {
  using T = TypeParam;
  for_each_square<T>([&](Communicator& communicator, const Case& one) {
    const auto A = positive_definite<T>(one.n);
    const Layout layout = Layout::block_cyclic(one.n, one.n, 5, 3, choose_grid(one.ranks));
    const Triangle read = one.n % 2 == 0 ? Triangle::lower : Triangle::upper;
    const auto factors =
        cholesky(only(read, A).spread(communicator, layout), this->kernels, one.options(), read);
    require(factors.info() == 0 && factors.is_finite(), "{}: info {}", one.text(), factors.info());
    require(std::abs(factors.one_norm() - A.one_norm()) <= 100 * epsilon_of<T>() * A.one_norm(),
            "{}: norm {} instead of {}", one.text(), factors.one_norm(), A.one_norm());
    Matrix<T> given_back(communicator, layout);
    factors.copy_to(given_back);
    const double error =
        factor_error<T>(A, WholeMatrix<T>::gathered(given_back), factors.pivots(), true);
    require(error <= 30 * static_cast<double>(one.n + 8) * epsilon_of<T>() * (A.largest() + 1),
            "{}: error {}", one.text(), error);
    const auto B = WholeMatrix<T>::random(one.n, 3, seed + 1);
    Matrix<T> X = B.spread(communicator, Layout::block(one.n, 3, choose_grid(one.ranks)));
    factors.solve(X);
    const double residual = scaled_residual(A, Op::none, WholeMatrix<T>::gathered(X), B);
    require(residual <= 30, "{}: residual {}", one.text(), residual);
  });
}

TYPED_TEST(CholeskyTest, FactorsAreLapacksAndComeInOneTriangle) {
  using T = TypeParam;
  constexpr std::int64_t n = 600;  // more than one strip of redistribute_triangle()
  auto A = WholeMatrix<T>::made(n, n, [](std::int64_t i, std::int64_t j) {
    const auto apart = static_cast<RealOf<T>>(i - j);
    return i == j ? T(4) : T(1 / (1 + apart * apart));
  });
  auto expected = A;
  this->kernels.lapack.potrf(Triangle::lower, expected.view());
  on_worlds(
      [&](Communicator& communicator) {
        const Layout layout = Layout::block_cyclic(n, n, 32, 32, choose_grid(communicator.size()));
        const int layers = communicator.size() >= 8 ? 2 : 1;
        const auto factors =
            cholesky(A.spread(communicator, layout), this->kernels, {.layers = layers});
        for (const Triangle written : {Triangle::lower, Triangle::upper}) {
          Matrix<T> back(communicator, layout);
          back.fill([](Global<Row>, Global<Column>) { return T(99); });
          factors.copy_to(back, written);
          const auto whole = WholeMatrix<T>::gathered(back);
          for (std::int64_t j = 0; j < n; ++j) {
            for (std::int64_t i = 0; i < n; ++i) {
              const T wanted = i >= j ? expected(i, j) : conjugate(expected(j, i));
              const double off = std::abs(whole(i, j) - (is_in(written, i, j) ? wanted : T(99)));
              require(off <= 500 * epsilon_of<T>(), "({}, {}) is off by {}", i, j, off);
            }
          }
        }
      },
      {1, 3, 4, 8});
}

TYPED_TEST(CholeskyTest, NamesTheMinorThatIsNotPositiveAsLapackDoes) {
  using T = TypeParam;
  constexpr std::int64_t n = 12;
  for (const std::int64_t bad : {0, 2, 3, 7, 11}) {
    auto A = positive_definite<T>(n);
    A(bad, bad) = T(-1);
    auto F = A;
    const std::int64_t expected = this->kernels.lapack.potrf(Triangle::lower, F.view());
    on_worlds(
        [&](Communicator& communicator) {
          const Layout layout = Layout::block(n, n, choose_grid(communicator.size()));
          const int layers = communicator.size() >= 8 ? 2 : 1;
          const auto factors = cholesky(A.spread(communicator, layout), this->kernels,
                                        {.layers = layers, .block = 3});
          require(factors.info() == expected && expected == bad + 1, "info {} instead of {}",
                  factors.info(), expected);
          Matrix<T> X(communicator, Layout::block(n, 1, GridShape(communicator.size(), 1)));
          require_error([&] { factors.solve(X); }, ErrorCode::invalid_argument,
                        {"not positive definite", std::to_string(expected)});
        },
        {1, 4, 5, 8});
  }
}

TYPED_TEST(CholeskyTest, SaysWhatIsNotFinite) {
  using T = TypeParam;
  constexpr std::int64_t n = 20;
  on_worlds(
      [&](Communicator& communicator) {
        auto A = positive_definite<T>(n);
        A(15, 3) = T(std::numeric_limits<RealOf<T>>::quiet_NaN());
        const Layout layout = Layout::block(n, n, choose_grid(communicator.size()));
        const Matrix<T> given = A.spread(communicator, layout);
        require(!cholesky(given, this->kernels, {.block = 4}).is_finite(), "a NaN is not said");
        require(cholesky(given, this->kernels, {.block = 4}, Triangle::upper).is_finite(),
                "a NaN that is not read is said");
      },
      {1, 3, 4});
}

TYPED_TEST(CholeskyTest, TheSameBitsEveryTime) {
  using T = TypeParam;
  constexpr std::int64_t n = 70;
  const auto A = positive_definite<T>(n);
  run_ranks(12, [&](Communicator& communicator) {
    const Layout layout = Layout::block(n, n, choose_grid(12));
    const Matrix<T> given = A.spread(communicator, layout);
    std::vector<T> first;
    for (int round = 0; round < 3; ++round) {
      const auto factors =
          cholesky(given, this->kernels, {.grid = GridShape(3, 2), .layers = 2, .block = 6});
      Matrix<T> back(communicator, layout);
      factors.copy_to(back);
      const auto whole = WholeMatrix<T>::gathered(back);
      if (round == 0) first = whole.values;
      require(whole.values == first, "other bits");
    }
  });
}

}  // namespace cholesky_test
}  // namespace cuboid::detail
