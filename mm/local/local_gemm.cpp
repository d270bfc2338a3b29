#include <cuboid/communicator.hpp>
#include <cuboid/element.hpp>
#include <cuboid/error.hpp>
#include <cuboid/half.hpp>
#include <cuboid/local_gemm.hpp>

#include "mm/local/blas_library.hpp"
#include "mm/local/device_gemm.hpp"
#include "mm/local/library_choice.hpp"
#include "mm/local/on_device.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

void check_size(const char* name, std::int64_t value) {
  if (value < 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("local gemm: {} = {}, must not be negative", name, value));
  }
}

void check_leading_dimension(const char* name, std::int64_t value, std::int64_t rows,
                             std::int64_t largest) {
  if (value < std::max<std::int64_t>(rows, 1)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("local gemm: {} = {} is smaller than the {} rows stored", name, value, rows));
  }
  if (value > largest) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("local gemm: {} = {} is more than the BLAS library's integers hold "
                            "({}); use more ranks, or set CUBOID_BLAS to a 64-bit-integer library",
                            name, value, largest));
  }
}

/// C ← β·C. β = 0 overwrites C, so that a NaN in C disappears.
template <class T>
void scale(std::int64_t m, std::int64_t n, T beta, T* C, std::int64_t ldc) {
  if (beta == T(1)) return;
  for (std::int64_t j = 0; j < n; ++j) {
    T* const column = C + j * ldc;
    if (beta == T(0)) {
      std::fill_n(column, m, T(0));
    } else {
      std::transform(column, column + m, column, [beta](T value) { return beta * value; });
    }
  }
}

constexpr std::array factor_precisions{FactorPrecision::single, FactorPrecision::tf32,
                                       FactorPrecision::bfloat16, FactorPrecision::half};

/// True if the cores round the factors of products of this type.
template <class T>
bool cores_round(FactorPrecision precision) {
  return std::is_same_v<RealOf<T>, float> &&
         (precision == FactorPrecision::bfloat16 || precision == FactorPrecision::half);
}

float rounded(float value, FactorPrecision precision) {
  return precision == FactorPrecision::half ? float(Float16(value)) : float(BFloat16(value));
}

/// A factor's elements, or a copy with rounded elements.
template <class T>
struct Factor {
  const T* data;
  std::int64_t leading_dimension;
  std::vector<T> copy = {};

  void round(std::int64_t rows, std::int64_t columns, FactorPrecision precision) {
    if constexpr (std::is_same_v<RealOf<T>, float>) {
      copy.resize(static_cast<std::size_t>(rows * columns));
      auto* to = reinterpret_cast<float*>(copy.data());  // a complex number is two of them
      constexpr auto floats = static_cast<std::int64_t>(sizeof(T) / sizeof(float));
      for (std::int64_t j = 0; j < columns; ++j) {
        const auto* const from = reinterpret_cast<const float*>(data + j * leading_dimension);
        for (std::int64_t i = 0; i < rows * floats; ++i) *to++ = rounded(from[i], precision);
      }
      data = copy.data();
      leading_dimension = rows;
    }
  }
};

RankOnNode rank_on_node(const Communicator& communicator) {
  RankOnNode here{0, 0};
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (!communicator.same_node(rank)) continue;
    ++here.ranks;
    if (rank < communicator.rank()) ++here.index;
  }
  return here;
}

}  // namespace

LocalGemm LocalGemm::open(const Environment& environment, int threads_per_rank) {
  return open(environment, threads_per_rank, 0, 1);
}

LocalGemm LocalGemm::open(const Communicator& communicator, int threads_per_rank) {
  const RankOnNode here = rank_on_node(communicator);
  return open(communicator.environment(), threads_per_rank, here.index, here.ranks);
}

LocalGemm LocalGemm::open(const Environment& environment, int threads_per_rank, int index,
                          int ranks) {
  if (threads_per_rank < 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("threads per rank = {}, must be at least 1", threads_per_rank));
  }
  const BlasLibrary& library = BlasLibrary::at(blas_path(environment), threads_per_rank);
  return {library, threads_per_rank,
          &DeviceGemm::at(environment, {index, ranks}, library, threads_per_rank)};
}

std::string_view to_string(FactorPrecision precision) {
  switch (precision) {
    case FactorPrecision::single: return "single";
    case FactorPrecision::tf32: return "tf32";
    case FactorPrecision::bfloat16: return "bfloat16";
    case FactorPrecision::half: break;
  }
  return "half";
}

FactorPrecision parse_factor_precision(std::string_view text) {
  for (const FactorPrecision precision : factor_precisions) {
    if (to_string(precision) == text) return precision;
  }
  throw Error(ErrorCode::parse,
              fmt::format("precision {}: give single, tf32, bfloat16 or half", text));
}

LocalGemm LocalGemm::with_factors(FactorPrecision precision) const {
  return {*library_, threads_, device_ == nullptr ? nullptr : &device_->with_factors(precision),
          precision};
}

template <class T>
void LocalGemm::operator()(Op a, Op b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                           const T* A, std::int64_t lda, const T* B, std::int64_t ldb, T beta, T* C,
                           std::int64_t ldc) const {
  check_size("m", m);
  check_size("n", n);
  check_size("k", k);
  const std::int64_t largest = largest_leading_dimension();
  check_leading_dimension("lda", lda, a == Op::none ? m : k, largest);
  check_leading_dimension("ldb", ldb, b == Op::none ? k : n, largest);
  check_leading_dimension("ldc", ldc, m, largest);
  if (m == 0 || n == 0) return;
  if (k == 0 || alpha == T(0)) {
    if (!device_->scale(m, n, beta, C, ldc)) scale(m, n, beta, C, ldc);
    return;
  }
  if (device_->multiply(GemmCall<T>{a, b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc})) return;
  on_cores(a, b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

template <class T>
void LocalGemm::on_cores(Op a, Op b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                         const T* A, std::int64_t lda, const T* B, std::int64_t ldb, T beta, T* C,
                         std::int64_t ldc) const {
  if (m == 0 || n == 0) return;
  if (k == 0 || alpha == T(0)) return scale(m, n, beta, C, ldc);
  if (beta != beta) {
    // BLIS's kernels for AMD's CPUs compare β in such a way that NaN equals 0, and would not read
    // C.
    scale(m, n, beta, C, ldc);
    beta = T(1);
  }

  library_->use_threads(threads_);
  const std::int64_t largest = largest_leading_dimension();
  // Sizes that no leading dimension bounds (m is bounded by ldc) are cut to the range of the
  // library's integers, and rounded copies have a limited depth. Otherwise both loops nearly always
  // run only once.
  constexpr std::int64_t rounded_depth = 512;
  const bool rounds = cores_round<T>(factors_);
  const std::int64_t deepest = rounds ? std::min(largest, rounded_depth) : largest;
  const std::int64_t a_step = a == Op::none ? lda : 1;
  const std::int64_t b_step_k = b == Op::none ? 1 : ldb;
  const std::int64_t b_step_n = b == Op::none ? ldb : 1;
  for (std::int64_t j = 0; j < n; j += std::min(n - j, largest)) {
    T beta_now = beta;
    for (std::int64_t l = 0; l < k; l += std::min(k - l, deepest)) {
      const std::int64_t columns = std::min(n - j, largest), depth = std::min(k - l, deepest);
      Factor<T> left{A + l * a_step, lda}, right{B + l * b_step_k + j * b_step_n, ldb};
      if (rounds) {
        left.round(a == Op::none ? m : depth, a == Op::none ? depth : m, factors_);
        right.round(b == Op::none ? depth : columns, b == Op::none ? columns : depth, factors_);
      }
      library_->gemm(a, b, m, columns, depth, alpha, left.data, left.leading_dimension, right.data,
                     right.leading_dimension, beta_now, C + j * ldc, ldc);
      beta_now = T(1);
    }
  }
}

std::string LocalGemm::library() const {
  return library_->name();
}
std::string LocalGemm::kernels() const {
  return library_->kernels();
}
std::string LocalGemm::advice() const {
  return library_->advice();
}
std::string LocalGemm::device() const {
  return device_->description();
}
std::int64_t LocalGemm::largest_leading_dimension() const {
  return library_->largest_integer();
}

#define CUBOID_FOR(T)                                                                              \
  template void LocalGemm::operator()(Op, Op, std::int64_t, std::int64_t, std::int64_t, T,         \
                                      const T*, std::int64_t, const T*, std::int64_t, T, T*,       \
                                      std::int64_t) const;                                         \
  template void LocalGemm::on_cores(Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*, \
                                    std::int64_t, const T*, std::int64_t, T, T*, std::int64_t)     \
      const
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid
