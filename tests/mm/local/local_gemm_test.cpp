#include <cuboid/error.hpp>
#include <cuboid/local_gemm.hpp>

#include "tests/mm/every_element_type.hpp"

#include <cmath>
#include <complex>
#include <filesystem>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace local_gemm_test {

Environment environment_with_blas(std::optional<std::string> path) {
  Environment environment;
  environment.blas = std::move(path);
  return environment;
}

template <class T>
struct Real {
  using type = T;
};
template <class T>
struct Real<std::complex<T>> {
  using type = T;
};

template <class T>
T random_value(std::mt19937_64& generator) {
  std::uniform_real_distribution<typename Real<T>::type> uniform(-1, 1);
  if constexpr (std::is_same_v<T, typename Real<T>::type>) {
    return uniform(generator);
  } else {
    const auto real = uniform(generator);
    return {real, uniform(generator)};
  }
}

template <class T>
std::vector<T> random_values(std::int64_t count, std::mt19937_64& generator) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = random_value<T>(generator);
  return values;
}

template <class T>
T applied(Op op, const std::vector<T>& matrix, std::int64_t ld, std::int64_t row,
          std::int64_t column) {
  if (op == Op::none) return matrix[static_cast<std::size_t>(row + column * ld)];
  const T value = matrix[static_cast<std::size_t>(column + row * ld)];
  if constexpr (!std::is_same_v<T, typename Real<T>::type>) {
    if (op == Op::conjugate_transpose) return std::conj(value);
  }
  return value;
}

constexpr int padding = 3;

/// One multiplication against three nested loops; the rows of C's padding must stay as they are.
template <class T>
void expect_right(const LocalGemm& gemm, Op a, Op b, std::int64_t m, std::int64_t n, std::int64_t k,
                  T alpha, T beta) {
  std::mt19937_64 generator(static_cast<std::uint64_t>(m * 10007 + n * 101 + k));
  const std::int64_t lda = (a == Op::none ? m : k) + padding;
  const std::int64_t ldb = (b == Op::none ? k : n) + padding;
  const std::int64_t ldc = m + padding;
  const auto A = random_values<T>(lda * (a == Op::none ? k : m), generator);
  const auto B = random_values<T>(ldb * (b == Op::none ? n : k), generator);
  const auto before = random_values<T>(ldc * n, generator);
  std::vector<T> C = before;
  gemm(a, b, m, n, k, alpha, A.data(), lda, B.data(), ldb, beta, C.data(), ldc);

  const double tolerance =
      8.0 * static_cast<double>(k + 2) *
      static_cast<double>(std::numeric_limits<typename Real<T>::type>::epsilon());
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < ldc; ++i) {
      const auto at = static_cast<std::size_t>(i + j * ldc);
      T expected = before[at];
      if (i < m) {
        T sum{};
        for (std::int64_t l = 0; l < k; ++l) {
          sum += applied(a, A, lda, i, l) * applied(b, B, ldb, l, j);
        }
        expected = alpha * sum + beta * before[at];
      }
      ASSERT_LE(std::abs(C[at] - expected), i < m ? tolerance : 0.0)
          << "at " << i << "," << j << " of " << m << "x" << n << "x" << k;
    }
  }
}

template <class T>
class LocalGemmTest : public testing::Test {};
TYPED_TEST_SUITE(LocalGemmTest, EveryElementType);

constexpr Op every_op[] = {Op::none, Op::transpose, Op::conjugate_transpose};

TYPED_TEST(LocalGemmTest, AgreesWithThreeLoops) {
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  constexpr std::int64_t sizes[][3] = {{1, 1, 1},   {2, 3, 5},    {17, 9, 33}, {64, 64, 64},
                                       {1, 129, 7}, {131, 1, 77}, {33, 65, 1}, {101, 67, 259}};
  for (const Op a : every_op) {
    for (const Op b : every_op) {
      for (const auto& [m, n, k] : sizes) {
        expect_right<TypeParam>(gemm, a, b, m, n, k, TypeParam(1), TypeParam(0));
        expect_right<TypeParam>(gemm, a, b, m, n, k, TypeParam(-0.5), TypeParam(2));
      }
    }
  }
}

TYPED_TEST(LocalGemmTest, ComplexFactorsCount) {
  if constexpr (!std::is_floating_point_v<TypeParam>) {
    const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
    expect_right<TypeParam>(gemm, Op::none, Op::conjugate_transpose, 13, 17, 19, {0.5, -1}, {0, 1});
  }
}

TYPED_TEST(LocalGemmTest, SizesOfZeroLeaveBetaTimesC) {
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  for (const Op op : every_op) {
    expect_right<TypeParam>(gemm, op, op, 5, 4, 0, TypeParam(1), TypeParam(3));
    expect_right<TypeParam>(gemm, op, op, 5, 4, 0, TypeParam(1), TypeParam(1));
    expect_right<TypeParam>(gemm, op, op, 0, 4, 3, TypeParam(1), TypeParam(0));
    expect_right<TypeParam>(gemm, op, op, 5, 0, 3, TypeParam(1), TypeParam(0));
    expect_right<TypeParam>(gemm, op, op, 5, 4, 3, TypeParam(0), TypeParam(2));
  }
  gemm(Op::none, Op::none, 0, 0, 0, TypeParam(1), static_cast<const TypeParam*>(nullptr), 1,
       static_cast<const TypeParam*>(nullptr), 1, TypeParam(0), static_cast<TypeParam*>(nullptr),
       1);
}

TYPED_TEST(LocalGemmTest, BetaZeroDoesNotReadC) {
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  const TypeParam nan(std::numeric_limits<typename Real<TypeParam>::type>::quiet_NaN());
  for (const std::int64_t k : {0, 1, 40}) {
    const std::int64_t n = 37;
    const std::vector<TypeParam> A(static_cast<std::size_t>(n * k), TypeParam(1));
    std::vector<TypeParam> C(static_cast<std::size_t>(n * n), nan);
    gemm(Op::none, Op::none, n, n, k, TypeParam(1), A.data(), n, A.data(),
         std::max<std::int64_t>(k, 1), TypeParam(0), C.data(), n);
    for (const TypeParam value : C) {
      ASSERT_EQ(value, TypeParam(static_cast<typename Real<TypeParam>::type>(k)));
    }
  }
}

TYPED_TEST(LocalGemmTest, BetaThatIsNoNumberLeavesNone) {
  const TypeParam nan(std::numeric_limits<typename Real<TypeParam>::type>::quiet_NaN());
  for (const std::int64_t n : {1, 7, 100}) {
    const std::vector<TypeParam> A(static_cast<std::size_t>(n * n), TypeParam(1));
    std::vector<TypeParam> C = A;
    const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
    gemm(Op::none, Op::none, n, n, n, TypeParam(1), A.data(), n, A.data(), n, nan, C.data(), n);
    for (const TypeParam value : C) EXPECT_NE(value, value) << n;
  }
}

TYPED_TEST(LocalGemmTest, AlphaZeroDoesNotReadAOrB) {
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  const TypeParam nan(std::numeric_limits<typename Real<TypeParam>::type>::quiet_NaN());
  const std::vector<TypeParam> A(9, nan);
  std::vector<TypeParam> C(9, TypeParam(2));
  gemm(Op::none, Op::none, 3, 3, 3, TypeParam(0), A.data(), 3, A.data(), 3, TypeParam(1), C.data(),
       3);
  for (const TypeParam value : C) EXPECT_EQ(value, TypeParam(2));
}

TEST(LocalGemm, ConcurrentRanksGetTheirOwnResults) {
  for (const int threads_per_rank : {1, 2}) {
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < 4; ++rank) {
      ranks.emplace_back([rank, threads_per_rank] {
        const LocalGemm gemm = LocalGemm::open(Environment::read(), threads_per_rank);
        EXPECT_EQ(gemm.threads(), threads_per_rank);
        for (int repeat = 0; repeat < 4; ++repeat) {
          expect_right<double>(gemm, Op::none, Op::transpose, 90 + rank, 70 + repeat, 110, 1, 0.5);
          expect_right<std::complex<float>>(gemm, Op::conjugate_transpose, Op::none, 40 + rank, 30,
                                            50 + repeat, 1, 0);
        }
      });
    }
    for (std::thread& rank : ranks) rank.join();
  }
}

int threads_of_this_process() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/self/task")) {
    ++count;
  }
  return count;
}

TEST(LocalGemm, OneThreadPerRankStartsNone) {
  const int before = threads_of_this_process();
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  expect_right<double>(gemm, Op::none, Op::none, 150, 150, 150, 1, 0);
  EXPECT_LE(threads_of_this_process(), before);
}

TEST(LocalGemm, NamesItsLibraryAndKernels) {
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  EXPECT_NE(gemm.library().find(".so"), std::string::npos) << gemm.library();
  EXPECT_FALSE(gemm.kernels().empty());
}

template <class Call>
std::string refusal(ErrorCode code, Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(LocalGemm, NoLibraryMultipliesNothing) {
  const LocalGemm gemm = LocalGemm::open(environment_with_blas("none"), 1);
  const std::vector<double> A{2}, B{3};
  std::vector<double> C{5};
  gemm(Op::none, Op::none, 1, 1, 1, 1.0, A.data(), 1, B.data(), 1, 0.0, C.data(), 1);
  EXPECT_EQ(C, std::vector<double>{5});
  EXPECT_EQ(gemm.kernels(), "none");
}

TEST(LocalGemm, MissingLibraryNamesPathAndRemedy) {
  const std::string message = refusal(ErrorCode::unsupported, [] {
    LocalGemm::open(environment_with_blas("/nowhere/libblis.so.4"), 1);
  });
  EXPECT_NE(message.find("/nowhere/libblis.so.4"), std::string::npos) << message;
  EXPECT_NE(message.find("CUBOID_BLAS"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(LocalGemm, LibraryWithoutCblasIsRefused) {
  const std::string message = refusal(
      ErrorCode::unsupported, [] { LocalGemm::open(environment_with_blas("libm.so.6"), 1); });
  EXPECT_NE(message.find("libm.so.6"), std::string::npos) << message;
  EXPECT_NE(message.find("cblas_?gemm"), std::string::npos) << message;
}

TEST(LocalGemm, RefusesWhatCannotBeMultiplied) {
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  const auto call = [&](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t lda,
                        std::int64_t ldb, std::int64_t ldc) {
    return refusal(ErrorCode::invalid_argument, [&] {
      double one = 1;
      gemm(Op::none, Op::none, m, n, k, 1.0, &one, lda, &one, ldb, 0.0, &one, ldc);
    });
  };
  EXPECT_NE(call(-1, 1, 1, 1, 1, 1).find("m = -1"), std::string::npos);
  EXPECT_NE(call(2, 1, 1, 1, 1, 2).find("lda = 1"), std::string::npos);
  EXPECT_NE(call(1, 1, 2, 1, 1, 1).find("ldb = 1"), std::string::npos);
  EXPECT_NE(call(1, 1, 1, 1, 1, 0).find("ldc = 0"), std::string::npos);
  EXPECT_THROW(LocalGemm::open(Environment::read(), 0), Error);
}

TEST(LocalGemm, RefusesLeadingDimensionsTheLibraryCannotHold) {
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  const std::string message = refusal(ErrorCode::invalid_argument, [&] {
    double one = 1;
    gemm(Op::none, Op::none, 1, 1, 1, 1.0, &one, std::numeric_limits<std::int64_t>::max(), &one, 1,
         0.0, &one, 1);
  });
  EXPECT_NE(message.find("lda"), std::string::npos) << message;
}

}  // namespace local_gemm_test
}  // namespace cuboid::detail
