#include <cuboid/collectives.hpp>
#include <cuboid/norms.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace cuboid {

using namespace detail;

namespace {

/// The larger value; NaN if either is NaN.
template <class R>
R larger(R value, R other) {
  return std::isnan(value) || value > other ? value : other;
}

/// The largest value of all ranks; NaN if a rank has NaN.
template <class R>
R largest_of_ranks(const Communicator& communicator, R value) {
  std::array<R, 2> largest = {std::isnan(value) ? R(1) : R(0), std::isnan(value) ? R(0) : value};
  allreduce(communicator, largest, largest, Reduction::Kind::maximum);
  return largest[0] == 0 ? largest[1] : std::numeric_limits<R>::quiet_NaN();
}

/// Calls use(modulus) for each element of this rank.
template <MatrixElement T, class Use>
void for_each_modulus(LocalView<const T> part, const Use& use) {
  for (std::int64_t j = 0; j < part.columns; ++j) {
    const T* const column = part.column(j);
    for (std::int64_t i = 0; i < part.rows; ++i) use(std::abs(column[i]));
  }
}

/// The largest of several sums. Each rank has a part of every sum. NaN if a sum is NaN.
template <class R>
R largest_sum(const Communicator& communicator, std::vector<R>& sums) {
  if (!sums.empty()) allreduce(communicator, sums, sums, Reduction::Kind::sum);
  R largest = 0;
  for (const R sum : sums) largest = larger(sum, largest);
  return largest;
}

template <class R>
std::vector<R> zeros(const Communicator& communicator, std::int64_t count) {
  return collective_try(communicator,
                        [&] { return std::vector<R>(static_cast<std::size_t>(count)); });
}

template <MatrixElement T>
RealOf<T> largest_column(const Matrix<T>& A) {
  using R = RealOf<T>;
  auto sums = zeros<R>(A.communicator(), A.n());
  const LocalView<const T> part = A.local();
  if (const auto here = A.position()) {
    for (Local<Column> j; j.value < part.columns; ++j) {
      const std::int64_t column = A.layout().columns().global(here->column, j).value;
      for_each_modulus(part.block(0, j.value, part.rows, 1),
                       [&sum = sums[static_cast<std::size_t>(column)]](R size) { sum += size; });
    }
  }
  return largest_sum(A.communicator(), sums);
}

template <MatrixElement T>
RealOf<T> largest_row(const Matrix<T>& A) {
  using R = RealOf<T>;
  auto sums = zeros<R>(A.communicator(), A.m());
  const LocalView<const T> part = A.local();
  auto of_part = zeros<R>(A.communicator(), part.rows);
  // Goes by columns, the order of the elements in memory.
  for (std::int64_t j = 0; j < part.columns; ++j) {
    const T* const column = part.column(j);
    for (std::int64_t i = 0; i < part.rows; ++i)
      of_part[static_cast<std::size_t>(i)] += std::abs(column[i]);
  }
  if (const auto here = A.position()) {
    for (Local<Row> i; i.value < part.rows; ++i) {
      const std::int64_t row = A.layout().rows().global(here->row, i).value;
      sums[static_cast<std::size_t>(row)] = of_part[static_cast<std::size_t>(i.value)];
    }
  }
  return largest_sum(A.communicator(), sums);
}

template <MatrixElement T>
RealOf<T> largest_modulus(const Matrix<T>& A) {
  using R = RealOf<T>;
  R largest = 0;
  for_each_modulus(A.local(), [&](R size) { largest = larger(size, largest); });
  return largest_of_ranks(A.communicator(), largest);
}

/// The Frobenius norm as the largest modulus times the norm of A / (largest modulus). The squares
/// of that matrix neither overflow nor all vanish.
template <MatrixElement T>
double frobenius_norm(const Matrix<T>& A) {
  const double largest = largest_modulus(A);
  if (largest == 0 || !std::isfinite(largest)) return largest;
  double sum = 0;
  for_each_modulus(A.local(), [&](double size) {
    const double share = size / largest;
    sum += share * share;
  });
  allreduce(A.communicator(), std::span(&sum, 1), std::span(&sum, 1), Reduction::Kind::sum);
  return largest * std::sqrt(sum);
}

}  // namespace

template <MatrixElement T>
double norm(Norm kind, const Matrix<T>& A) {
  HostMirror<T> on_host(A);
  const Matrix<T>& matrix = on_host.get();
  switch (kind) {
    case Norm::one: return largest_column(matrix);
    case Norm::infinity: return largest_row(matrix);
    case Norm::frobenius: return frobenius_norm(matrix);
    case Norm::maximum: break;
  }
  return largest_modulus(matrix);
}

#define CUBOID_INSTANTIATE(T) template double norm(Norm, const Matrix<T>&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
