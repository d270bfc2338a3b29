// Factorisations of whole matrices by cuSOLVER, beside LAPACK's.
#include "mm/local/device_factorisation.hpp"

#include <cuboid/error.hpp>
#include <cuboid/local_lapack.hpp>

#include "tests/devices/a_device.hpp"
#include "tests/mm/whole_matrix.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace local_device_factorisation_test {

Environment small_memory(Environment environment = device_environment()) {
  environment.device_memory = std::size_t{8} << 20;
  return environment;
}

template <class T>
struct DeviceFactorisation : testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(DeviceFactorisation, Types);

template <class T>
void expect_near(const WholeMatrix<T>& one, const WholeMatrix<T>& other) {
  const double tolerance = 1e3 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  for (std::size_t i = 0; i < one.values.size(); ++i)
    ASSERT_LT(std::abs(one.values[i] - other.values[i]), tolerance) << i;
}

template <class T>
WholeMatrix<T> definite(std::int64_t n) {
  auto matrix = WholeMatrix<T>::random(n, n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < j; ++i) matrix(i, j) = conjugate(matrix(j, i));
    matrix(j, j) = T(static_cast<RealOf<T>>(n));
  }
  return matrix;
}

TYPED_TEST(DeviceFactorisation, GivesTheFactorsOfLapack) {
  using T = TypeParam;
  const StandIn stand_in;
  stand_in.streams("late");
  const LocalGemm gemm = LocalGemm::open(small_memory(), 1);
  const LocalLapack lapack = LocalLapack::open(Environment::read(), 1);
  for (const auto& [m, n] : {std::pair{1, 1}, {7, 7}, {40, 12}, {12, 40}, {33, 1}, {1, 9}}) {
    auto expected = WholeMatrix<T>::random(m, n);
    auto found = expected;
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(std::min(m, n))), swaps = pivots;
    ASSERT_EQ(lapack.getrf(expected.view(), pivots), 0);
    ASSERT_TRUE(lu_on_device(gemm, found.view(), std::span(swaps)));
    EXPECT_EQ(swaps, pivots);
    expect_near(found, expected);
  }
  for (const std::int64_t n : {1, 2, 31, 256, 257, 600}) {
    auto expected = definite<T>(n);
    auto found = expected;
    ASSERT_EQ(lapack.potrf(Triangle::lower, expected.view()), 0);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < j; ++i) expected(i, j) = conjugate(expected(j, i));
    ASSERT_TRUE(cholesky_on_device(gemm, found.view()));
    expect_near(found, expected);
  }
}

TYPED_TEST(DeviceFactorisation, LeavesWhatBreaksDownAsItWas) {
  using T = TypeParam;
  const StandIn stand_in;
  const LocalGemm gemm = LocalGemm::open(small_memory(), 1);
  auto singular = WholeMatrix<T>::random(9, 9);
  for (std::int64_t i = 0; i < 9; ++i) singular(i, 4) = T(0);
  const auto was_singular = singular.values;
  std::vector<std::int64_t> pivots(9);
  EXPECT_FALSE(lu_on_device(gemm, singular.view(), std::span(pivots)));
  EXPECT_EQ(singular.values, was_singular);
  auto indefinite = definite<T>(9);
  indefinite(5, 5) = T(-1);
  const auto was_indefinite = indefinite.values;
  EXPECT_FALSE(cholesky_on_device(gemm, indefinite.view()));
  EXPECT_EQ(indefinite.values, was_indefinite);
}

TEST(DeviceFactorisationWithout, MemoryOrCusolverLeavesTheMatrixToTheCores) {
  if (on_a_real_device()) GTEST_SKIP() << "needs the stand-in";
  const StandIn stand_in;
  Environment without = small_memory();
  without.cusolver = "/there/is/no/cusolver";
  Environment short_of_memory = device_environment();
  short_of_memory.device_memory = std::size_t{4} << 10;
  for (const Environment& environment :
       {without, short_of_memory, small_memory(device_environment(DeviceUse::never))}) {
    const LocalGemm gemm = LocalGemm::open(environment, 1);
    auto matrix = WholeMatrix<double>::random(40, 40);
    const auto before = matrix.values;
    std::vector<std::int64_t> pivots(40);
    EXPECT_FALSE(lu_on_device(gemm, matrix.view(), std::span(pivots)));
    EXPECT_EQ(matrix.values, before);
  }
}

TEST(DeviceFactorisationWithout, ADeviceIsAnError) {
  if (on_a_real_device()) GTEST_SKIP() << "a real device is not broken for a test";
  const StandIn stand_in;
  const LocalGemm gemm = LocalGemm::open(small_memory(), 1);
  auto matrix = WholeMatrix<double>::random(40, 40);
  std::vector<std::int64_t> pivots(40);
  ASSERT_TRUE(lu_on_device(gemm, matrix.view(), std::span(pivots)));
  stand_in.fail("cusolver_getrf", 0, 719);
  EXPECT_THROW(lu_on_device(gemm, matrix.view(), std::span(pivots)), Error);
}

}  // namespace local_device_factorisation_test
}  // namespace cuboid::detail
