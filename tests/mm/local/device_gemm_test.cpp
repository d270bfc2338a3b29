#include "mm/local/device_gemm.hpp"

#include <cuboid/error.hpp>
#include <cuboid/half.hpp>
#include <cuboid/local_gemm.hpp>

#include "mm/local/gemm_in_strips.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "tests/devices/a_device.hpp"
#include "tests/mm/every_element_type.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <thread>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace device_gemm_test {

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};

template <class T>
std::vector<T> random_values(std::int64_t count, std::mt19937& random) {
  // Whole numbers: sums are exact in any order.
  std::uniform_int_distribution<int> uniform(-4, 4);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    value = T(static_cast<typename RealOf<T>::type>(uniform(random)));
    if constexpr (!std::is_same_v<T, typename RealOf<T>::type>)
      value += T(0, static_cast<typename RealOf<T>::type>(uniform(random)));
  }
  return values;
}

template <class T>
T element(Op op, const std::vector<T>& matrix, std::int64_t ld, std::int64_t i, std::int64_t j) {
  if (op == Op::none) return matrix[static_cast<std::size_t>(i + j * ld)];
  const T value = matrix[static_cast<std::size_t>(j + i * ld)];
  if constexpr (!std::is_same_v<T, typename RealOf<T>::type>)
    if (op == Op::conjugate_transpose) return std::conj(value);
  return value;
}

constexpr std::int64_t padding = 3;

/// A product with operands on the host.
template <class T>
struct Case {
  Op a, b;
  std::int64_t m, n, k;
  T alpha, beta;
  std::int64_t lda = (a == Op::none ? m : k) + padding, ldb = (b == Op::none ? k : n) + padding,
               ldc = m + padding;
  std::vector<T> A, B, C, expected;

  Case(Op op_a, Op op_b, std::int64_t rows, std::int64_t columns, std::int64_t inner, T factor,
       T of_c)
      : a(op_a), b(op_b), m(rows), n(columns), k(inner), alpha(factor), beta(of_c) {
    std::mt19937 random(static_cast<unsigned>(m * 1000003 + n * 1009 + k));
    A = random_values<T>(lda * (a == Op::none ? k : m), random);
    B = random_values<T>(ldb * (b == Op::none ? n : k), random);
    C = random_values<T>(ldc * n, random);
    expected = C;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        T sum{};
        for (std::int64_t l = 0; l < k; ++l)
          sum += element(a, A, lda, i, l) * element(b, B, ldb, l, j);
        T& to = expected[static_cast<std::size_t>(i + j * ldc)];
        to = alpha * sum + (beta == T(0) ? T(0) : beta * to);
      }
    // What β = 0 must not read.
    if (beta == T(0))
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i)
          C[static_cast<std::size_t>(i + j * ldc)] =
              T(std::numeric_limits<typename RealOf<T>::type>::quiet_NaN());
  }
};

/// Where each of A, B and C lies.
struct Places {
  bool a, b, c;  ///< on the device
};

template <class T>
void expect_right(const LocalGemm& gemm, Case<T> product, Places on_device) {
  const auto there = [](bool moves, const std::vector<T>& values) {
    return moves ? std::optional<DeviceArray<T>>(std::in_place, values) : std::nullopt;
  };
  const auto A = there(on_device.a, product.A), B = there(on_device.b, product.B),
             C = there(on_device.c, product.C);
  gemm(product.a, product.b, product.m, product.n, product.k, product.alpha,
       A ? A->data() : product.A.data(), product.lda, B ? B->data() : product.B.data(), product.ldb,
       product.beta, C ? C->data() : product.C.data(), product.ldc);
  const std::vector<T> result = C ? C->read() : product.C;
  for (std::size_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(result[i], product.expected[i])
        << "element " << i << " of a product " << product.m << "x" << product.n << "x" << product.k;
}

template <class T>
class DeviceGemmTest : public testing::Test {};
TYPED_TEST_SUITE(DeviceGemmTest, EveryElementType);

TYPED_TEST(DeviceGemmTest, EveryTransposeInEveryMemory) {
  const StandIn stand_in;
  unsigned seed = 1;
  for (const char* mode : {"late", "early"}) {
    const LocalGemm gemm = LocalGemm::open(device_environment(), 1);
    for (const Op a : {Op::none, Op::transpose, Op::conjugate_transpose})
      for (const Op b : {Op::none, Op::transpose, Op::conjugate_transpose})
        for (int places = 0; places < 8; ++places) {
          stand_in.streams(mode, ++seed);
          const Places where{(places & 1) != 0, (places & 2) != 0, (places & 4) != 0};
          expect_right(gemm, Case<TypeParam>(a, b, 37, 23, 41, TypeParam(2), TypeParam(-3)), where);
          expect_right(gemm, Case<TypeParam>(a, b, 5, 64, 1, TypeParam(1), TypeParam(0)), where);
        }
  }
}

TYPED_TEST(DeviceGemmTest, NothingToMultiplyScalesCWhereverItLies) {
  const StandIn stand_in;
  const LocalGemm gemm = LocalGemm::open(device_environment(), 1);
  for (const bool on_device : {false, true})
    for (const int beta : {0, 1, 3}) {
      stand_in.streams("late");
      expect_right(gemm,
                   Case<TypeParam>(Op::none, Op::none, 8, 9, 0, TypeParam(1),
                                   TypeParam(static_cast<float>(beta))),
                   {false, false, on_device});
      expect_right(gemm,
                   Case<TypeParam>(Op::none, Op::none, 8, 9, 5, TypeParam(0),
                                   TypeParam(static_cast<float>(beta))),
                   {false, false, on_device});
    }
}

/// Tiles of a device whose memory holds a small part of the matrices.
TEST(DeviceGemm, TilesFitTheMemory) {
  const StandIn stand_in;
  Environment environment = device_environment();
  // Room for two tiles of each operand, not for all three matrices.
  environment.device_memory = std::size_t{4608} << 10;
  const LocalGemm gemm = LocalGemm::open(environment, 1);
  for (const Op a : {Op::none, Op::transpose})
    for (const Op b : {Op::none, Op::transpose})
      for (const double beta : {0.0, 2.0}) {
        const Case<double> product(a, b, 610, 530, 290, 1, beta);
        for (const char* mode : {"in_order", "early", "late"}) {
          stand_in.streams(mode, 5);
          const auto before = stand_in.counts();
          expect_right(gemm, product, {false, false, false});
          constexpr std::int64_t tiles = 4;
          EXPECT_GE(stand_in.counts().multiplications - before.multiplications, tiles);
        }
      }
}

TEST(DeviceGemm, PanelsAddUpOnTheDevice) {
  const StandIn stand_in;
  const LocalGemm gemm = LocalGemm::open(device_environment(), 1);
  const std::int64_t m = 70, n = 50, k = 96, width = 16;
  for (const char* mode : {"in_order", "early", "late"})
    for (const double beta : {0.0, 1.0, -2.0}) {
      stand_in.streams(mode, 3);
      Case<double> product(Op::none, Op::transpose, m, n, k, 3, beta);
      const LocalView<double> C{product.C.data(), m, n, product.ldc};
      SumOfPanels<double> sum(gemm, C, k, width, beta);
      const auto before = stand_in.counts();
      // Panels come through one buffer, which is overwritten when add() returns.
      std::vector<double> a(static_cast<std::size_t>(m * width)),
          b(static_cast<std::size_t>(n * width));
      const auto pages = PinnedPages::of(test_device(), a.data(), a.size() * sizeof(double));
      for (std::int64_t l = 0; l < k; l += width) {
        for (std::int64_t j = 0; j < width; ++j) {
          std::copy_n(product.A.data() + (l + j) * product.lda, m, a.data() + j * m);
          std::copy_n(product.B.data() + (l + j) * product.ldb, n, b.data() + j * n);
        }
        // The left and the right half of C, one after the other.
        const Panel<double> left{a.data(), m, Op::none};
        for (const std::int64_t column : {std::int64_t{0}, n / 2}) {
          const Panel<double> right{b.data() + column, n, Op::transpose};
          sum.add(3.0, left, right, width, l == 0 ? beta : 1.0, C.block(0, column, m, n / 2),
                  [] { return false; });
        }
        std::fill(a.begin(), a.end(), 1e9);
        std::fill(b.begin(), b.end(), 1e9);
      }
      sum.finish([] { return false; });
      for (std::size_t i = 0; i < product.C.size(); ++i)
        ASSERT_EQ(product.C[i], product.expected[i]) << mode << " " << beta << " " << i;
      // C came back once.
      if (!on_a_real_device()) {
        EXPECT_EQ(stand_in.counts().bytes_down - before.bytes_down, m * n * 8);
      }
    }
}

TEST(DeviceGemm, ManagedOperandsComeAfterTheDefaultStream) {
  const StandIn stand_in;
  const CudaDevice& device = test_device();
  const CudaDevice::Current current(device);
  const SharedLibrary driver(device.driver().path(), Symbols::programs);
  using Allocate = CuResult(CuPointer*, std::size_t, unsigned);
  constexpr unsigned attach_global = 1;
  constexpr std::int64_t n = 24;
  std::vector<double> ones(n * n, 1), C(n * n);
  const std::size_t bytes = ones.size() * sizeof(double);
  const auto pages = PinnedPages::of(device, ones.data(), bytes);
  CuPointer A = 0;
  device.check(driver.find<Allocate>("cuMemAllocManaged")(&A, bytes, attach_global),
               "cuMemAllocManaged");
  const auto* const values = reinterpret_cast<const double*>(A);
  // On the device, and on the cores, which do what is small.
  double factor = 1;
  for (const DeviceUse use : {DeviceUse::always, DeviceUse::automatic, DeviceUse::never}) {
    const LocalGemm gemm = LocalGemm::open(device_environment(use), 1);
    std::ranges::fill(ones, ++factor);
    stand_in.streams("late");
    device.check(device.call().copy(A, reinterpret_cast<CuPointer>(ones.data()), bytes, nullptr),
                 "cuMemcpyAsync");
    gemm(Op::none, Op::none, n, n, n, 1.0, values, n, values, n, 0.0, C.data(), n);
    EXPECT_EQ(C, std::vector<double>(n * n, n * factor * factor));
    stand_in.streams("in_order");
  }
  device.call().free(A);
}

TEST(DeviceGemm, Tf32RoundsFactorsOfSinglePrecisionAlone) {
  const StandIn stand_in;
  const LocalGemm gemm = LocalGemm::open(device_environment(), 1),
                  tf32 = gemm.with_factors(FactorPrecision::tf32);
  const auto product = [](const LocalGemm& by, auto value) {
    decltype(value) result = 0;
    by(Op::none, Op::none, 1, 1, 1, decltype(value)(1), &value, 1, &value, 1, decltype(value)(0),
       &result, 1);
    return result;
  };
  // 13 significant bits; its square has 25.
  const float value = 1 + 0x1p-12f;
  EXPECT_EQ(product(gemm, value), value * value);
  EXPECT_EQ(product(tf32, value), 1);
  EXPECT_EQ(product(gemm, value), value * value);
  EXPECT_EQ(product(tf32, double{value}), double{value} * double{value});
  EXPECT_NE(tf32.device().find("tf32"), std::string::npos) << tf32.device();
  const LocalGemm cores =
      LocalGemm::open(device_environment(DeviceUse::never), 1).with_factors(FactorPrecision::tf32);
  EXPECT_EQ(product(cores, value), value * value);
}

/// A number that is rounded, as a factor is.
template <class T>
T in_precision(T value, FactorPrecision precision) {
  const auto round = [precision](float part) {
    return precision == FactorPrecision::half ? float(Float16(part)) : float(BFloat16(part));
  };
  if constexpr (std::is_same_v<T, float>) {
    return round(value);
  } else {
    return {round(value.real()), round(value.imag())};
  }
}

template <class T>
void expect_rounded_factors(Op a, Op b, std::int64_t k, FactorPrecision precision) {
  // Numbers that neither half nor bfloat16 can hold.
  Case<T> product(a, b, 19, 23, k, T(1), T(2));
  for (auto* const factor : {&product.A, &product.B})
    for (T& element : *factor) element *= T(1.01f);
  std::vector<std::complex<double>> expected;
  for (std::int64_t j = 0; j < product.n; ++j)
    for (std::int64_t i = 0; i < product.m; ++i) {
      std::complex<double> sum =
          std::complex<double>(product.C[static_cast<std::size_t>(i + j * product.ldc)]) * 2.0;
      for (std::int64_t l = 0; l < k; ++l)
        sum +=
            std::complex<double>(
                in_precision(element(a, product.A, product.lda, i, l), precision)) *
            std::complex<double>(in_precision(element(b, product.B, product.ldb, l, j), precision));
      expected.push_back(sum);
    }
  for (const DeviceUse use : {DeviceUse::always, DeviceUse::never}) {
    const LocalGemm gemm = LocalGemm::open(device_environment(use), 1).with_factors(precision);
    EXPECT_EQ(gemm.factors(), precision);
    std::vector<T> C = product.C;
    gemm(a, b, product.m, product.n, k, product.alpha, product.A.data(), product.lda,
         product.B.data(), product.ldb, product.beta, C.data(), product.ldc);
    for (std::int64_t j = 0; j < product.n; ++j)
      for (std::int64_t i = 0; i < product.m; ++i) {
        const std::complex<double> found(C[static_cast<std::size_t>(i + j * product.ldc)]);
        const std::complex<double> wanted = expected[static_cast<std::size_t>(i + j * product.m)];
        ASSERT_LT(std::abs(found - wanted), 1e-2) << to_string(precision) << ", k = " << k;
      }
  }
}

TEST(DeviceGemm, HalfFactorsAreRoundedOnTheDeviceAndOnTheCores) {
  const StandIn stand_in;
  for (const FactorPrecision precision : {FactorPrecision::bfloat16, FactorPrecision::half})
    for (const Op a : {Op::none, Op::conjugate_transpose})
      for (const Op b : {Op::none, Op::transpose})
        for (const std::int64_t k : {1, 40, 1100}) {
          expect_rounded_factors<float>(a, b, k, precision);
          expect_rounded_factors<std::complex<float>>(a, b, k, precision);
        }
  const LocalGemm half =
      LocalGemm::open(device_environment(DeviceUse::never), 1).with_factors(FactorPrecision::half);
  const float large = 70000, one = 1;
  float product = 0;
  half(Op::none, Op::none, 1, 1, 1, 1.0f, &large, 1, &one, 1, 0.0f, &product, 1);
  EXPECT_EQ(product, std::numeric_limits<float>::infinity());
  const double exact = 1 + 0x1p-30, unit = 1;
  double same = 0;
  half(Op::none, Op::none, 1, 1, 1, 1.0, &exact, 1, &unit, 1, 0.0, &same, 1);
  EXPECT_EQ(same, exact);
}

TEST(DeviceGemm, PrecisionsHaveNames) {
  for (const char* const name : {"single", "tf32", "bfloat16", "half"})
    EXPECT_EQ(to_string(parse_factor_precision(name)), name);
  try {
    parse_factor_precision("quarter");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bfloat16"), std::string::npos);
  }
}

TEST(DeviceGemm, SmallHostProductsStayOnTheCores) {
  const StandIn stand_in;
  const LocalGemm gemm = LocalGemm::open(device_environment(DeviceUse::automatic), 1);
  const auto before = stand_in.counts();
  expect_right(gemm, Case<double>(Op::none, Op::none, 40, 40, 40, 1, 0), {false, false, false});
  EXPECT_EQ(stand_in.counts().bytes_up, before.bytes_up);
  // What lies on the device is multiplied there all the same.
  expect_right(gemm, Case<double>(Op::none, Op::none, 40, 40, 40, 1, 0), {true, false, true});
  if (!on_a_real_device()) {
    EXPECT_GT(stand_in.counts().bytes_up, before.bytes_up);
  }
}

TEST(DeviceGemm, NoDeviceIsUsedWhereNoneIsWanted) {
  const LocalGemm gemm = LocalGemm::open(device_environment(DeviceUse::never), 1);
  expect_right(gemm, Case<double>(Op::none, Op::none, 200, 200, 200, 1, 0), {false, false, false});
  // But nothing else can read what lies on one.
  expect_right(gemm, Case<double>(Op::none, Op::none, 20, 20, 20, 1, 0), {true, true, true});
}

TEST(DeviceGemm, OwnMatricesArePinnedOnceAndOthersForTheProduct) {
  if (on_a_real_device()) GTEST_SKIP() << "needs the stand-in's counts";
  const StandIn stand_in;
  const LocalGemm gemm = LocalGemm::open(device_environment(), 1);
  const std::int64_t n = 800;
  const auto before = stand_in.counts();
  {
    const AlignedArray<double> A(n * n, "A"), C(n * n, "C");
    std::fill_n(A.data(), n * n, 1.0);
    gemm(Op::none, Op::none, n, n, 2, 1.0, A.data(), n, A.data(), n, 0.0, C.data(), n);
    EXPECT_EQ(C.data()[n * n - 1], 2.0);
    EXPECT_GE(stand_in.counts().pinned - before.pinned, 2 * n * n * 8);
  }
  EXPECT_EQ(stand_in.counts().pinned, before.pinned);
}

template <class Call>
std::string refusal(ErrorCode code, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(DeviceGemm, ALostDeviceIsAnErrorAndNoWrongProduct) {
  if (on_a_real_device()) GTEST_SKIP() << "a real device is not broken for a test";
  const StandIn stand_in;
  for (const char* call :
       {"cuMemcpy2DAsync_v2", "cublas_gemm", "cuEventRecord", "cuEventSynchronize"}) {
    const LocalGemm gemm = LocalGemm::open(device_environment(), 1);
    expect_right(gemm, Case<double>(Op::none, Op::none, 30, 30, 30, 1, 1), {false, false, false});
    stand_in.fail(call, 0, 719);
    Case<double> product(Op::none, Op::none, 30, 30, 30, 1, 1);
    const std::string message = refusal(ErrorCode::io, [&] {
      gemm(product.a, product.b, 30, 30, 30, 1.0, product.A.data(), product.lda, product.B.data(),
           product.ldb, 1.0, product.C.data(), product.ldc);
    });
    EXPECT_NE(message.find("device 0"), std::string::npos) << message;
    EXPECT_NE(message.find("CUBOID_DEVICE=none"), std::string::npos) << message;
    stand_in.recover();
  }
}

TEST(DeviceGemm, ShortMemoryMeansSmallerTilesThenCores) {
  if (on_a_real_device()) GTEST_SKIP() << "needs the stand-in's memory";
  const StandIn stand_in;
  Environment environment = device_environment();
  environment.device_memory = std::size_t{64} << 20;
  environment.log_level = LogLevel::error;
  const Case<double> product(Op::none, Op::none, 700, 600, 300, 1, 1);
  {
    const LocalGemm gemm = LocalGemm::open(environment, 1);
    const auto before = stand_in.counts();
    stand_in.fail("cuMemAlloc_v2", 0, 2);
    expect_right(gemm, product, {false, false, false});
    EXPECT_GT(stand_in.counts().multiplications, before.multiplications);
  }
  environment.device_memory = 1000;
  const LocalGemm gemm = LocalGemm::open(environment, 1);
  const auto before = stand_in.counts();
  expect_right(gemm, product, {false, false, false});
  EXPECT_EQ(stand_in.counts().multiplications, before.multiplications);
}

TEST(DeviceGemm, BadInputNamesItself) {
  Environment environment = device_environment(DeviceUse::automatic);
  environment.devices = {7};
  const std::string seven =
      refusal(ErrorCode::invalid_argument, [&] { LocalGemm::open(environment, 1); });
  EXPECT_NE(seven.find("no device 7"), std::string::npos) << seven;
  EXPECT_NE(seven.find("CUBOID_DEVICE"), std::string::npos) << seven;

  environment = device_environment();
  environment.cuda = "/nowhere/libcuda.so.1";
  const std::string none =
      refusal(ErrorCode::unsupported, [&] { LocalGemm::open(environment, 1); });
  EXPECT_NE(none.find("/nowhere/libcuda.so.1"), std::string::npos) << none;

  const LocalGemm gemm = LocalGemm::open(device_environment(), 1);
  const DeviceArray<double> A(std::vector<double>(100, 1.0));
  std::vector<double> C(400);
  const std::string beyond = refusal(ErrorCode::invalid_argument, [&] {
    gemm(Op::none, Op::none, 20, 20, 20, 1.0, A.data(), 20, A.data(), 20, 0.0, C.data(), 20);
  });
  EXPECT_NE(beyond.find("A: "), std::string::npos) << beyond;
}

TEST(DeviceGemm, ManyThreadsShareOne) {
  const StandIn stand_in;
  stand_in.streams("early", 9);
  const LocalGemm gemm = LocalGemm::open(device_environment(), 1);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&gemm, thread] {
      for (int repeat = 0; repeat < 5; ++repeat)
        expect_right(gemm,
                     Case<double>(Op::none, Op::transpose, 30 + thread, 40 + repeat, 20, 1, 1),
                     {false, thread % 2 == 0, false});
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(DeviceGemm, MemoryIsGivenBackAfterLongWorkAlone) {
  const StandIn stand_in;
  const CudaDevice& device = test_device();
  const CudaDevice::Current current(device);
  DeviceWorker worker(device, CublasLibrary::open(device_environment().cublas, device.driver()),
                      CublasFactors::as_they_are);
  const std::size_t free = device.free_memory();
  worker.memory(std::size_t{1} << 24);
  const std::size_t held = device.free_memory();
  EXPECT_LT(held, free);
  worker.give_back_memory_after(Clock::duration::zero());
  EXPECT_EQ(device.free_memory(), held);
  worker.give_back_memory_after(std::chrono::hours(1));
  EXPECT_GT(device.free_memory(), held);
  EXPECT_NE(worker.memory(1), nullptr);
}

}  // namespace device_gemm_test
}  // namespace cuboid::detail
