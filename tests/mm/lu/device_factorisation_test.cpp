// Factorisations whose local matrix stays on a device. That they are right on all grids is tested
// by running the tests of factorisations on the stand-in: see tests/mm/CMakeLists.txt.
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>

#include "tests/devices/a_device.hpp"
#include "tests/mm/lu/lu_cases.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace device_factorisation_test {

constexpr std::int64_t n = 96, block = 8;

/// An environment without cuSOLVER: panels are factorised on the cores, and the device updates.
Environment by_panels(DeviceUse use = DeviceUse::always) {
  Environment environment = device_environment(use);
  environment.cusolver = "/there/is/no/cusolver";
  return environment;
}

LocalKernels kernels_with(Environment environment) {
  environment.device_memory = std::size_t{8} << 20;
  return LocalKernels::open(environment, 1);
}

struct Factors {
  std::vector<double> values;
  std::vector<std::int64_t> pivots;
  bool operator==(const Factors&) const = default;
};

/// The factors of a random matrix on one rank.
Factors factors_of(bool hermitian, const LocalKernels& kernels) {
  Factors result;
  run_ranks(1, [&](Communicator& communicator) {
    auto whole = WholeMatrix<double>::random(n, n);
    if (hermitian) {
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < j; ++i) whole(i, j) = whole(j, i);
      for (std::int64_t j = 0; j < n; ++j) whole(j, j) += n;
    }
    const FactoriseOptions options{.pivoting = Pivoting::partial, .block = block};
    Matrix<double> A = whole.spread(communicator, Layout::block(n, n, GridShape(1, 1)));
    const auto factors = hermitian ? cholesky(A, kernels, options) : factorise(A, kernels, options);
    factors.copy_to(A);
    result = {WholeMatrix<double>::gathered(A).values,
              {factors.pivots().begin(), factors.pivots().end()}};
  });
  return result;
}

void expect_near(const Factors& one, const Factors& other) {
  EXPECT_EQ(one.pivots, other.pivots);
  for (std::size_t i = 0; i < one.values.size(); ++i)
    ASSERT_NEAR(one.values[i], other.values[i], 1e-10) << i;
}

TEST(DeviceFactorisations, GiveThePivotsOfTheCoresAndTheSameBitsInEveryRun) {
  const StandIn stand_in;
  const LocalKernels on_device = kernels_with(by_panels());
  const LocalKernels on_cores = kernels_with(by_panels(DeviceUse::never));
  for (const bool hermitian : {false, true}) {
    stand_in.streams("late");
    const Factors first = factors_of(hermitian, on_device);
    expect_near(first, factors_of(hermitian, on_cores));
    for (unsigned seed = 1; seed <= 5; ++seed) {
      stand_in.streams("early", seed);
      EXPECT_EQ(factors_of(hermitian, on_device), first) << seed;
    }
  }
}

TEST(DeviceFactorisations, TheMatrixGoesUpOnceAndComesDownOnce) {
  if (on_a_real_device()) GTEST_SKIP() << "needs the stand-in's counts";
  const StandIn stand_in;
  const LocalKernels kernels = kernels_with(by_panels());
  factors_of(true, kernels);  // measures rates
  for (const bool hermitian : {false, true}) {
    const auto before = stand_in.counts();
    factors_of(hermitian, kernels);
    const auto after = stand_in.counts();
    // Each update by itself would move the rest of the matrix, in all n / block · n² / 3 elements.
    constexpr std::int64_t matrix = n * n * 8;
    EXPECT_GT(after.multiplications - before.multiplications, n * n * n / 8);
    EXPECT_LE(after.bytes_up - before.bytes_up, 3 * matrix);
    EXPECT_LE(after.bytes_down - before.bytes_down, (hermitian ? 1 : 2) * matrix);
  }
}

TEST(DeviceFactorisations, ShortMemoryMeansTheWayWithoutIt) {
  if (on_a_real_device()) GTEST_SKIP() << "needs the stand-in's memory";
  const StandIn stand_in;
  const LocalKernels on_device = kernels_with(by_panels());
  const Factors first = factors_of(false, on_device);
  // Too little for the matrix on the device, by the limit and by the device.
  Environment environment = by_panels();
  environment.device_memory = std::size_t{64} << 10;
  expect_near(factors_of(false, LocalKernels::open(environment, 1)), first);
  environment.device_memory = std::size_t{9} << 20;
  const LocalKernels opened = LocalKernels::open(environment, 1);
  stand_in.fail("cuMemAlloc_v2", 0, 2);
  expect_near(factors_of(false, opened), first);
}

TEST(DeviceFactorisations, ALostDeviceIsAnErrorAndNoWrongFactor) {
  if (on_a_real_device()) GTEST_SKIP() << "a real device is not broken for a test";
  const StandIn stand_in;
  const LocalKernels kernels = kernels_with(by_panels());
  for (const char* call : {"cublas_gemm", "cuMemcpy2DAsync_v2", "cublas_geam", "cublas_trsm"}) {
    factors_of(false, kernels);
    stand_in.fail(call, 3, 719);
    try {
      factors_of(false, kernels);
      ADD_FAILURE() << call;
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find("device 0"), std::string::npos) << error.what();
    }
    stand_in.recover();
  }
}

// One rank has the whole matrix: it goes up once, and comes down once with its pivots.
TEST(DeviceFactorisations, OfOneRankAreCusolvers) {
  const StandIn stand_in;
  const LocalKernels on_device = kernels_with(device_environment());
  const LocalKernels on_cores = kernels_with(device_environment(DeviceUse::never));
  for (const bool hermitian : {false, true}) {
    stand_in.streams("late");
    const Factors first = factors_of(hermitian, on_device);
    expect_near(first, factors_of(hermitian, on_cores));
    stand_in.streams("early", 3);
    const auto before = stand_in.counts();
    EXPECT_EQ(factors_of(hermitian, on_device), first);
    const auto after = stand_in.counts();
    if (on_a_real_device()) continue;
    constexpr std::int64_t matrix = n * n * 8;
    EXPECT_EQ(after.bytes_up - before.bytes_up, matrix);
    EXPECT_EQ(after.bytes_down - before.bytes_down, matrix + 4 + (hermitian ? 0 : n * 8));
  }
}

}  // namespace device_factorisation_test
}  // namespace cuboid::detail
