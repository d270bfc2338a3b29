// Local factorisations and triangular solves: what they leave multiplied out again.

#include <cuboid/error.hpp>
#include <cuboid/local_lapack.hpp>

#include "mm/local/unpivoted_lu.hpp"
#include "mm/matrix/random_element.hpp"
#include "tests/mm/every_element_type.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace local_lapack_test {

/// A column-major matrix with padding below its rows.
template <MatrixElement T>
struct Dense {
  std::int64_t m, n, ld;
  std::vector<T> values;

  Dense(std::int64_t rows, std::int64_t columns)
      : m(rows), n(columns), ld(rows + 3), values(static_cast<std::size_t>(ld * columns), T(-99)) {}
  static Dense random(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
    Dense matrix(rows, columns);
    for (std::int64_t j = 0; j < columns; ++j) {
      const RandomColumn column(seed, Global<Column>(j));
      for (std::int64_t i = 0; i < rows; ++i) matrix(i, j) = column.at<T>(Global<Row>(i));
    }
    return matrix;
  }
  T& operator()(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i + j * ld)];
  }
  LocalView<T> view() { return {values.data(), m, n, ld}; }
  bool padding_is_whole() {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = m; i < ld; ++i)
        if ((*this)(i, j) != T(-99)) return false;
    return true;
  }
};

template <MatrixElement T>
double tolerance(std::int64_t n) {
  return 50.0 * static_cast<double>(n + 4) *
         static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
}

/// max |L·U - B|, L unit lower, both stored in F.
template <MatrixElement T>
double product_error(Dense<T>& F, Dense<T>& B) {
  double error = 0;
  for (std::int64_t j = 0; j < F.n; ++j) {
    for (std::int64_t i = 0; i < F.m; ++i) {
      T sum = i <= j ? F(i, j) : T(0);
      for (std::int64_t k = 0; k < std::min({i, j + 1, F.n, F.m}); ++k) sum += F(i, k) * F(k, j);
      error = std::max(error, static_cast<double>(std::abs(sum - B(i, j))));
    }
  }
  return error;
}

template <class T>
class LocalLapackTest : public testing::Test {
 protected:
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
};
TYPED_TEST_SUITE(LocalLapackTest, EveryElementType);

TYPED_TEST(LocalLapackTest, PivotedFactorsMultiplyToThePermutedMatrix) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair{0, 3}, {3, 0}, {1, 1}, {5, 5}, {40, 7}, {7, 40}, {70, 70}}) {
    auto A = Dense<T>::random(m, n, 1), F = A;
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(std::min(m, n)));
    EXPECT_EQ(this->kernels.lapack.getrf(F.view(), pivots), 0);
    for (std::size_t k = 0; k < pivots.size(); ++k) {
      ASSERT_GE(pivots[k], static_cast<std::int64_t>(k));
      ASSERT_LT(pivots[k], m);
      for (std::int64_t j = 0; j < n; ++j)
        std::swap(A(static_cast<std::int64_t>(k), j), A(pivots[k], j));
    }
    EXPECT_LE(product_error(F, A), tolerance<T>(n)) << m << "x" << n;
    EXPECT_TRUE(F.padding_is_whole());
  }
}

TYPED_TEST(LocalLapackTest, UnpivotedFactorsMultiplyToTheMatrix) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair{0, 0}, {1, 1}, {16, 16}, {17, 17}, {90, 33}, {64, 64}}) {
    auto A = Dense<T>::random(m, n, 1);
    for (std::int64_t k = 0; k < n; ++k) A(k, k) += T(static_cast<RealOf<T>>(m));
    auto F = A;
    EXPECT_EQ(factorise_without_pivoting(F.view(), this->kernels), 0);
    EXPECT_LE(product_error(F, A), tolerance<T>(n) * static_cast<double>(m)) << m << "x" << n;
    EXPECT_TRUE(F.padding_is_whole());
  }
}

TYPED_TEST(LocalLapackTest, TheFirstZeroPivotIsNamed) {
  using T = TypeParam;
  for (const std::int64_t zero : {0, 3, 17, 39}) {
    Dense<T> A(40, 40);
    for (std::int64_t j = 0; j < 40; ++j)
      for (std::int64_t i = 0; i < 40; ++i) A(i, j) = i == j && i != zero && i != 39 ? T(2) : T(0);
    auto F = A;
    std::vector<std::int64_t> pivots(40);
    EXPECT_EQ(this->kernels.lapack.getrf(F.view(), pivots), zero + 1);
    F = A;
    EXPECT_EQ(factorise_without_pivoting(F.view(), this->kernels), zero + 1);
    F = A;
    EXPECT_EQ(this->kernels.lapack.potrf(Triangle::lower, F.view()), zero + 1);
  }
}

TYPED_TEST(LocalLapackTest, TriangularSolvesAreUndoneByTheProduct) {
  using T = TypeParam;
  constexpr std::int64_t n = 9, columns = 4;
  auto A = Dense<T>::random(n, n, 3);
  for (std::int64_t k = 0; k < n; ++k) A(k, k) += T(4);
  for (const MatrixSide side : {MatrixSide::left, MatrixSide::right}) {
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        for (const Diagonal diagonal : {Diagonal::stored, Diagonal::unit}) {
          const bool left = side == MatrixSide::left;
          auto B = Dense<T>::random(left ? n : columns, left ? columns : n, 4), X = B;
          this->kernels.lapack.trsm(side, triangle, op, diagonal, T(2), A.view(), X.view());
          const auto element = [&](std::int64_t i, std::int64_t j) -> T {
            if (op != Op::none) std::swap(i, j);
            if (i == j && diagonal == Diagonal::unit) return T(1);
            const bool there = triangle == Triangle::lower ? i >= j : i <= j;
            const T value = there ? A(i, j) : T(0);
            return op == Op::conjugate_transpose ? conjugate(value) : value;
          };
          for (std::int64_t j = 0; j < B.n; ++j) {
            for (std::int64_t i = 0; i < B.m; ++i) {
              T sum{};
              for (std::int64_t k = 0; k < n; ++k)
                sum += left ? element(i, k) * X(k, j) : X(i, k) * element(k, j);
              EXPECT_LE(std::abs(sum - T(2) * B(i, j)), tolerance<T>(n) * 100);
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(LocalLapackTest, TheOneNormOfADiagonalMatrixIsItsLargestElement) {
  using T = TypeParam;
  const auto norm = this->kernels.lapack.template one_norm<T>(7, [](Op, std::span<T> x) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= T(static_cast<RealOf<T>>(i + 1));
  });
  EXPECT_FLOAT_EQ(static_cast<float>(norm), 7);
}

TYPED_TEST(LocalLapackTest, ThreadsFactoriseAtOnce) {
  using T = TypeParam;
  auto A = Dense<T>::random(120, 120, 5), expected = A;
  std::vector<std::int64_t> pivots(120);
  this->kernels.lapack.getrf(expected.view(), pivots);
  std::vector<Dense<T>> results(4, A);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) {
      threads.emplace_back([&] {
        std::vector<std::int64_t> own(120);
        this->kernels.lapack.getrf(result.view(), own);
      });
    }
  }
  for (const auto& result : results) EXPECT_EQ(result.values, expected.values);
}

TEST(LocalLapack, SaysWhichLibraryItIs) {
  const LocalLapack lapack = LocalLapack::open(Environment::read(), 1);
  EXPECT_NE(lapack.library().find(".so"), std::string::npos);
  EXPECT_FALSE(lapack.kernels().empty());
  EXPECT_THROW(LocalLapack::open(Environment::read(), 0), Error);
}

TEST(LocalLapack, MissingLibraryNamesPathAndRemedy) {
  Environment environment = Environment::read();
  environment.lapack = "/nowhere/libopenblas.so.0";
  try {
    LocalLapack::open(environment, 1);
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("/nowhere/libopenblas.so.0"), std::string::npos) << message;
    EXPECT_NE(message.find("CUBOID_LAPACK"), std::string::npos) << message;
  }
}

}  // namespace local_lapack_test
}  // namespace cuboid::detail
