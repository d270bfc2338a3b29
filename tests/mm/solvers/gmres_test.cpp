// GMRES on dense matrices of one rank.

#include "mm/solvers/gmres.hpp"

#include "mm/matrix/random_element.hpp"

#include <complex>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace gmres_test {

template <class T>
class GmresTest : public testing::Test {};
using Types = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(GmresTest, Types);

template <class T>
T element(std::uint64_t seed, std::size_t i, std::size_t j) {
  return RandomColumn(seed, Global<Column>(static_cast<std::int64_t>(j)))
      .template at<T>(Global<Row>(static_cast<std::int64_t>(i)));
}

template <class T>
struct Dense {
  std::size_t n;
  std::vector<T> elements = std::vector<T>(n * n);

  T& operator()(std::size_t i, std::size_t j) { return elements[i + j * n]; }
  std::vector<T> times(std::span<const T> x) const {
    std::vector<T> product(n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) product[i] += elements[i + j * n] * x[j];
    }
    return product;
  }
  DistributedOperator<T> on_one_rank() const {
    return {[this](std::span<T> x) { std::ranges::copy(times(x), x.begin()); },
            [](std::span<T>) {}};
  }
};

template <class T>
double relative_residual(const Dense<T>& A, const std::vector<T>& x, const std::vector<T>& b) {
  const std::vector<T> product = A.times(x);
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    error += std::norm(b[i] - product[i]);
    size += std::norm(b[i]);
  }
  return std::sqrt(error / size);
}

TYPED_TEST(GmresTest, SolvesInAtMostNIterations) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 20; ++n) {
    Dense<T> A{n};
    std::vector<T> b(n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) A(i, j) = element<T>(1, i, j);
      A(j, j) += T(2);
      b[j] = element<T>(2, j, 0);
    }
    std::vector<T> x = b;
    const auto outcome = Gmres<T>(A.on_one_rank()).solve(x, 1e-12, static_cast<int>(n));
    EXPECT_LE(relative_residual(A, x, b), 1e-11) << n;
    EXPECT_LE(outcome.iterations, static_cast<int>(n));
  }
}

TYPED_TEST(GmresTest, SaysTheResidualThatItReached) {
  using T = TypeParam;
  constexpr std::size_t n = 30;
  Dense<T> A{n};
  std::vector<T> b(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) A(i, j) = element<T>(3, i, j);
    b[j] = element<T>(4, j, 0);
  }
  for (const int iterations : {1, 5, 10}) {
    std::vector<T> x = b;
    const auto outcome = Gmres<T>(A.on_one_rank()).solve(x, 0, iterations);
    EXPECT_EQ(outcome.iterations, iterations);
    EXPECT_NEAR(outcome.residual, relative_residual(A, x, b), 1e-10);
    EXPECT_LE(outcome.residual, 1);
  }
}

TYPED_TEST(GmresTest, NeedsAnIterationForEachDistinctEigenvalue) {
  using T = TypeParam;
  constexpr std::size_t n = 12;
  Dense<T> A{n};
  for (std::size_t i = 0; i < n; ++i) A(i, i) = T(static_cast<double>(1 + i % 3));
  std::vector<T> b(n, T(1));
  std::vector<T> x = b;
  EXPECT_EQ(Gmres<T>(A.on_one_rank()).solve(x, 1e-12, 100).iterations, 3);
  EXPECT_LE(relative_residual(A, x, b), 1e-12);
}

TYPED_TEST(GmresTest, EndsWhereTheOperatorIsSingular) {
  using T = TypeParam;
  Dense<T> A{3};  // zero
  std::vector<T> x(3, T(1));
  const auto outcome = Gmres<T>(A.on_one_rank()).solve(x, 1e-12, 100);
  EXPECT_EQ(outcome.iterations, 1);
  EXPECT_NEAR(outcome.residual, 1, 1e-12);
}

TYPED_TEST(GmresTest, OfZeroIsZero) {
  using T = TypeParam;
  Dense<T> A{2};
  std::vector<T> x(2);
  EXPECT_EQ(Gmres<T>(A.on_one_rank()).solve(x, 1e-12, 100).iterations, 0);
  EXPECT_EQ(x, std::vector<T>(2));
}

}  // namespace gmres_test
}  // namespace cuboid::detail
