// Inverses of triangles, and of matrices from their factors, on ranks that are threads, beside
// LAPACK's on one rank and against products written out.

#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>

#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/every_element_type.hpp"
#include "tests/mm/lu/lu_cases.hpp"
#include "tests/mm/whole_matrix.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace triangular_inverse_test {

template <class T>
class TriangularInverseTest : public testing::Test {
 protected:
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
};
TYPED_TEST_SUITE(TriangularInverseTest, EveryElementType);

bool is_inside(Triangle triangle, Diagonal diagonal, std::int64_t i, std::int64_t j) {
  if (i == j) return diagonal == Diagonal::stored;
  return (triangle == Triangle::lower) == (i > j);
}

/// A triangle that is easily inverted, and NaN in all that must not be read.
template <MatrixElement T>
WholeMatrix<T> triangle_of(std::int64_t n, Triangle triangle, Diagonal diagonal) {
  auto whole = WholeMatrix<T>::random(n, n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      whole(i, j) /= static_cast<RealOf<T>>(n);
      if (i == j) whole(i, j) += T(2);
      if (!is_inside(triangle, diagonal, i, j))
        whole(i, j) = T(std::numeric_limits<RealOf<T>>::quiet_NaN());
    }
  }
  return whole;
}

// What ranks do is the same for all types; with double it is tested on all numbers of ranks.
template <MatrixElement T>
void on_worlds_of_type(const std::function<void(Communicator&)>& body) {
  if constexpr (std::is_same_v<T, double>) {
    on_worlds(body);
  } else {
    on_worlds(body, {1, 5, 8});
  }
}

TYPED_TEST(TriangularInverseTest, IsLapacksAndLeavesTheRestAlone) {
  using T = TypeParam;
  on_worlds_of_type<T>([&](Communicator& c) {
    const GridShape grid = choose_grid(c.size());
    const GridShape turned(grid.columns(), grid.rows());
    for (const std::int64_t n : {0, 1, 7, 65, 150}) {
      for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
        for (const Diagonal diagonal : {Diagonal::stored, Diagonal::unit}) {
          const auto given = triangle_of<T>(n, triangle, diagonal);
          auto expected =
              WholeMatrix<T>::made(n, n, [](auto i, auto j) { return T(i == j ? 1 : 0); });
          auto factor = given;
          this->kernels.lapack.trsm(MatrixSide::left, triangle, Op::none, diagonal, T(1),
                                    factor.view(), expected.view());
          const bool in_blocks = (triangle == Triangle::lower) == (diagonal == Diagonal::stored);
          Matrix<T> A = given.spread(
              c, in_blocks ? Layout::block(n, n, grid) : Layout::block_cyclic(n, n, 3, 5, turned));
          trtri(triangle, diagonal, A, this->kernels);
          const auto got = WholeMatrix<T>::gathered(A);
          for (std::int64_t j = 0; j < n; ++j) {
            for (std::int64_t i = 0; i < n; ++i) {
              const bool right = is_inside(triangle, diagonal, i, j)
                                     ? std::abs(got(i, j) - expected(i, j)) <= 100 * epsilon_of<T>()
                                     : std::isnan(std::abs(got(i, j)));
              require(right, "n = {}: element {}, {} is off", n, i, j);
            }
          }
        }
      }
    }
  });
}

TYPED_TEST(TriangularInverseTest, SaysWhichElementIsZero) {
  using T = TypeParam;
  on_worlds_of_type<T>([&](Communicator& c) {
    auto given = triangle_of<T>(130, Triangle::lower, Diagonal::stored);
    given(100, 100) = given(70, 70) = T(0);
    Matrix<T> A = given.spread(c, Layout::block_cyclic(130, 130, 4, 4, choose_grid(c.size())));
    std::string message;
    try {
      trtri(Triangle::lower, Diagonal::stored, A, this->kernels);
    } catch (const Error& error) {
      message = error.what();
    }
    require(message.find("A(71, 71)") != std::string::npos, "\"{}\"", message);
    const auto got = WholeMatrix<T>::gathered(A);
    require(got(70, 70) == T(0) && got(129, 0) == given(129, 0), "something was written");
  });
}

TYPED_TEST(TriangularInverseTest, OfLusFactorsIsTheInverse) {
  using T = TypeParam;
  for_each_case<T>(Pivoting::tournament, [&](Communicator& c, const Case& one) {
    if (one.m != one.n) return;
    const std::int64_t n = one.n;
    const auto A = WholeMatrix<T>::random(n, n);
    const auto factors = factorise(A.spread(c, Layout::block(n, n, choose_grid(one.ranks))),
                                   this->kernels, one.options());
    Matrix<T> X(c, Layout::block_cyclic(n, n, 3, 5, choose_grid(one.ranks)));
    factors.inverse(X);
    const auto identity =
        WholeMatrix<T>::made(n, n, [](auto i, auto j) { return T(i == j ? 1 : 0); });
    const double residual = scaled_residual(A, Op::none, WholeMatrix<T>::gathered(X), identity);
    require(residual <= 30, "{}: residual {}", one.text(), residual);
  });
}

TYPED_TEST(TriangularInverseTest, OfAPositiveDefiniteMatrixIsItsInverse) {
  using T = TypeParam;
  on_worlds_of_type<T>([&](Communicator& c) {
    for (const std::int64_t n : {0, 1, 7, 150}) {
      const auto random = WholeMatrix<T>::random(n, n);
      const auto given = WholeMatrix<T>::made(n, n, [&](std::int64_t i, std::int64_t j) {
        const T mean = (random(i, j) + conjugate(random(j, i))) / RealOf<T>(2);
        return i == j ? T(std::real(mean)) + T(static_cast<RealOf<T>>(n)) : mean;
      });
      const Layout layout = Layout::block_cyclic(n, n, 3, 5, choose_grid(c.size()));
      const Matrix<T> A = given.spread(c, layout);
      Matrix<T> X(c, Layout::block(n, n, choose_grid(c.size())));
      X.fill([](Global<Row>, Global<Column>) {
        return T(std::numeric_limits<RealOf<T>>::quiet_NaN());
      });
      cholesky(A, this->kernels).inverse(X);
      const auto inverse = WholeMatrix<T>::gathered(X);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < n; ++i) {
          T element = T(i == j ? -1 : 0);
          for (std::int64_t k = 0; k < n; ++k) element += given(i, k) * inverse(k, j);
          require(std::abs(element) <= 100 * epsilon_of<T>(), "n = {}: {}, {}: {}", n, i, j,
                  std::abs(element));
        }
      }
    }
  });
}

TEST(TriangularInverse, OfARectangleIsRefused) {
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
  on_worlds([&](Communicator& c) {
    Matrix<double> A(c, Layout::block(4, 5, choose_grid(c.size())));
    bool refused = false;
    try {
      trtri(Triangle::lower, Diagonal::stored, A, kernels);
    } catch (const Error& error) {
      refused = error.code() == ErrorCode::invalid_argument;
    }
    require(refused, "4x5");
  });
}

}  // namespace triangular_inverse_test
}  // namespace cuboid::detail
