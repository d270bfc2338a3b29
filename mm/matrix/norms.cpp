#include <cuboid/allreduce.hpp>
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

/// The largest value of all ranks; NaN if one has NaN.
template <class R>
R largest_of_ranks(const Communicator& communicator, R value) {
  std::array<R, 2> largest = {std::isnan(value) ? R(1) : R(0), std::isnan(value) ? R(0) : value};
  allreduce(communicator, largest, largest, Reduction::Kind::maximum);
  return largest[0] == 0 ? largest[1] : std::numeric_limits<R>::quiet_NaN();
}

/// Calls use(element, i, j) for this rank's elements, with their global indices.
template <MatrixElement T, class Use>
void for_each_element(const Matrix<T>& A, const Use& use) {
  const auto here = A.position();
  if (!here) return;
  const LocalView<const T> local = A.local();
  for (Local<Column> j; j.value < local.columns; ++j) {
    const Global<Column> column = A.layout().columns().global(here->column, j);
    for (Local<Row> i; i.value < local.rows; ++i)
      use(local(i.value, j.value), A.layout().rows().global(here->row, i), column);
  }
}

/// The largest of the sums of moduli along one dimension; index(i, j) says which sum an element
/// belongs to.
template <MatrixElement T, class Index>
RealOf<T> largest_sum(const Matrix<T>& A, std::int64_t count, const Index& index) {
  using R = RealOf<T>;
  auto sums = collective_try(A.communicator(),
                             [&] { return std::vector<R>(static_cast<std::size_t>(count)); });
  for_each_element(A, [&](T element, Global<Row> i, Global<Column> j) {
    sums[static_cast<std::size_t>(index(i, j))] += std::abs(element);
  });
  if (!sums.empty()) allreduce(A.communicator(), sums, sums, Reduction::Kind::sum);
  R largest = 0;
  for (const R sum : sums) largest = larger(sum, largest);
  return largest;
}

template <MatrixElement T>
RealOf<T> largest_modulus(const Matrix<T>& A) {
  RealOf<T> largest = 0;
  for_each_element(A, [&](T element, Global<Row>, Global<Column>) {
    largest = larger(std::abs(element), largest);
  });
  return largest_of_ranks(A.communicator(), largest);
}

/// The largest modulus times the norm of A divided by it, whose squares neither overflow nor all
/// vanish.
template <MatrixElement T>
RealOf<T> frobenius_norm(const Matrix<T>& A) {
  using R = RealOf<T>;
  const R largest = largest_modulus(A);
  if (largest == 0 || !std::isfinite(largest)) return largest;
  double sum = 0;
  for_each_element(A, [&](T element, Global<Row>, Global<Column>) {
    const double share = static_cast<double>(std::abs(element)) / static_cast<double>(largest);
    sum += share * share;
  });
  allreduce(A.communicator(), std::span(&sum, 1), std::span(&sum, 1), Reduction::Kind::sum);
  return static_cast<R>(static_cast<double>(largest) * std::sqrt(sum));
}

}  // namespace

template <MatrixElement T>
double norm(Norm kind, const Matrix<T>& A) {
  HostMirror<T> on_host(A);
  const Matrix<T>& matrix = on_host.get();
  switch (kind) {
    case Norm::one:
      return largest_sum(matrix, A.n(), [](Global<Row>, Global<Column> j) { return j.value; });
    case Norm::infinity:
      return largest_sum(matrix, A.m(), [](Global<Row> i, Global<Column>) { return i.value; });
    case Norm::frobenius: return frobenius_norm(matrix);
    case Norm::maximum: break;
  }
  return largest_modulus(matrix);
}

#define CUBOID_INSTANTIATE(T) template double norm(Norm, const Matrix<T>&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
