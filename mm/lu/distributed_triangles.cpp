#include "mm/lu/distributed_triangles.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/lu/lu_grid.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/finite.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/matrix/ranks.hpp"
#include "mm/triangles/triangles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// The leading dimension for `rows` rows: whole cache lines, and no multiple of a page, because
/// then all elements of a row would compete for the same few places in the caches.
template <MatrixElement T>
std::int64_t spaced(std::int64_t rows) {
  constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T)), page = 64 * line;
  const std::int64_t whole_lines = std::max<std::int64_t>((rows + line - 1) / line, 1) * line;
  return whole_lines % page == 0 ? whole_lines + line : whole_lines;
}

/// The sum of magnitudes, in several sums at once: a single sum would wait for each addition.
template <MatrixElement T>
RealOf<T> sum_of_sizes(const T* values, std::int64_t count) {
  constexpr std::int64_t sums = 8;
  std::array<RealOf<T>, sums> partial{};
  std::int64_t i = 0;
  for (; i + sums <= count; i += sums) {
    for (std::int64_t k = 0; k < sums; ++k)
      partial[static_cast<std::size_t>(k)] += std::abs(values[i + k]);
  }
  for (; i < count; ++i) partial.front() += std::abs(values[i]);
  return std::accumulate(partial.begin(), partial.end(), RealOf<T>(0));
}

/// The largest sum; NaN if a sum is NaN.
template <MatrixElement T>
RealOf<T> largest_of(std::span<const RealOf<T>> sums) {
  RealOf<T> largest = 0;
  // NaN compares with nothing, so it is taken explicitly.
  for (const RealOf<T> sum : sums) largest = std::isnan(sum) ? sum : std::max(largest, sum);
  return largest;
}

}  // namespace

template <MatrixElement T>
DistributedTriangles<T>::DistributedTriangles(const Communicator& communicator, std::int64_t m,
                                              std::int64_t n, const FactorisePlan& plan)
    : communicator_(communicator),
      plan_(plan),
      grid_(communicator, plan.grid),
      schedule_(m, n, plan.block, plan.grid.rows(), plan.grid.columns(), plan.grid.layers()),
      idle_ranks_(communicator, plan.grid.size()) {
  collective_try(communicator, [&] {
    if (!grid_.here) return;
    parts_.rows = schedule_.local_rows(grid_.here->row);
    parts_.columns = schedule_.local_columns(grid_.here->column);
    parts_.leading_dimension = spaced<T>(parts_.rows);
    memory_ = AlignedArray<T>(parts_.leading_dimension * parts_.columns,
                              fmt::format("a layer's {}x{} part of a {}x{} matrix to factorise",
                                          parts_.rows, parts_.columns, m, n));
    parts_.data = memory_.data();
  });
}

template <MatrixElement T>
Matrix<T> DistributedTriangles<T>::empty_share() {
  return collective_try(communicator_, [&] {
    if (schedule_.layers() > 1 || !grid_.here) return Matrix<T>(communicator_, layout());
    return Matrix<T>::wrap(communicator_, layout(), parts_.data, parts_.leading_dimension);
  });
}

template <MatrixElement T>
void DistributedTriangles<T>::load(const Matrix<T>& A) {
  Matrix<T> share = empty_share();
  redistribute(Op::none, A, share);
  spread(share);
}

template <MatrixElement T>
void DistributedTriangles<T>::load_hermitian(const Matrix<T>& A, Triangle read) {
  Matrix<T> share = empty_share();
  const Op op = read == Triangle::lower ? Op::none : Op::conjugate_transpose;
  redistribute_triangle(op, A, Triangle::lower, OtherTriangle::undefined, share);
  lower_only_ = true;
  spread(share);
}

template <MatrixElement T>
void DistributedTriangles<T>::spread(const Matrix<T>& share) {
  if (schedule_.layers() == 1 || !grid_.here) return;
  scale(T(0), parts_);
  const LayerBlocks blocks{parts_.rows, schedule_.block(), schedule_.layers(), grid_.here->layer};
  const LocalView<const T> from = share.local();
  blocks.for_each([&](std::int64_t row, std::int64_t in_share, std::int64_t length) {
    copy<T>(from.block(in_share, 0, length, from.columns),
            parts_.block(row, 0, length, parts_.columns));
  });
}

template <MatrixElement T>
Matrix<T> DistributedTriangles<T>::summed_share() const {
  if (schedule_.layers() == 1) {
    const LocalView<T> parts = grid_.here ? parts_ : LocalView<T>{};
    return Matrix<T>::wrap(communicator_, layout(), parts.data, parts.leading_dimension);
  }
  Matrix<T> share = new_matrix<T>(communicator_, layout());
  work([&] {
    // Some columns at a time, because sends are packed.
    constexpr std::int64_t most_bytes = std::int64_t{32} << 20;
    const std::int64_t column_bytes =
        std::max<std::int64_t>(parts_.rows, 1) * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t chunk = std::max<std::int64_t>(most_bytes / column_bytes, 1);
    std::vector<T> packed;
    for (std::int64_t begin = 0; begin < parts_.columns; begin += chunk) {
      const std::int64_t columns = std::min(chunk, parts_.columns - begin);
      std::vector<std::size_t> counts;
      packed.clear();
      for (int layer = 0; layer < schedule_.layers(); ++layer) {
        const LayerBlocks blocks{parts_.rows, schedule_.block(), schedule_.layers(), layer};
        counts.push_back(static_cast<std::size_t>(blocks.extent() * columns));
        for (std::int64_t j = begin; j < begin + columns; ++j) {
          const T* const column = parts_.column(j);
          blocks.for_each([&](std::int64_t row, std::int64_t, std::int64_t length) {
            packed.insert(packed.end(), column + row, column + row + length);
          });
        }
      }
      if (packed.empty()) continue;
      const std::size_t mine = counts[static_cast<std::size_t>(grid_.here->layer)];
      const std::span<T> sums(share.data() + begin * share.leading_dimension(), mine);
      reduce_scatterv(grid_.line, packed, sums, counts, Reduction::Kind::sum);
    }
  });
  return share;
}

template <MatrixElement T>
void DistributedTriangles<T>::copy_to(Matrix<T>& A) const {
  require_fitting("copy_to", A, A.m() == schedule_.m() && A.n() == schedule_.n(),
                  fmt::format("{}x{}", schedule_.m(), schedule_.n()));
  redistribute(Op::none, summed_share(), A);
}

template <MatrixElement T>
void DistributedTriangles<T>::copy_to(Matrix<T>& A, Triangle written) const {
  const std::int64_t n = schedule_.n();
  require_fitting("copy_to", A, schedule_.m() == n && A.m() == n && A.n() == n,
                  fmt::format("{0}x{0}", n));
  redistribute_triangle(Op::none, summed_share(), written, OtherTriangle::kept, A);
}

template <MatrixElement T>
void DistributedTriangles<T>::require_fitting(const char* what, const Matrix<T>& other, bool fits,
                                              const std::string& wanted) const {
  if (fits && same_communicator(other.communicator(), communicator_)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: a {}x{} matrix: give {} on the communicator of the matrix that was "
                          "factorised",
                          what, other.m(), other.n(), wanted));
}

template <MatrixElement T>
std::int64_t DistributedTriangles<T>::first_row(std::int64_t column) const {
  if (!lower_only_) return 0;
  return schedule_.rows_before(grid_.here->row,
                               global(column, schedule_.columns(), grid_.here->column));
}

template <MatrixElement T>
std::int64_t DistributedTriangles<T>::global(std::int64_t local, int processes, int process) const {
  const std::int64_t block = schedule_.block();
  return (local / block * processes + process) * block + local % block;
}

template <MatrixElement T>
RealOf<T> DistributedTriangles<T>::one_norm() const {
  RealOf<T> largest = lower_only_ ? largest_hermitian_sum() : largest_column_sum();
  if (std::isnan(largest)) largest = std::numeric_limits<RealOf<T>>::infinity();
  allreduce(communicator_, std::span(&largest, 1), std::span(&largest, 1),
            Reduction::Kind::maximum);
  return largest;
}

template <MatrixElement T>
RealOf<T> DistributedTriangles<T>::largest_column_sum() const {
  std::vector<RealOf<T>> sums(static_cast<std::size_t>(parts_.columns));
  for (std::int64_t j = 0; j < parts_.columns; ++j)
    sums[static_cast<std::size_t>(j)] = sum_of_sizes(parts_.column(j), parts_.rows);
  work([&] {
    if (!sums.empty()) allreduce(grid_.column_plane, sums, sums, Reduction::Kind::sum);
  });
  return largest_of<T>(sums);
}

/// An element below the diagonal counts in its column, and in the column that mirrors its row.
template <MatrixElement T>
RealOf<T> DistributedTriangles<T>::largest_hermitian_sum() const {
  std::vector<RealOf<T>> sums(static_cast<std::size_t>(schedule_.n()));
  if (sums.empty()) return 0;
  std::vector<RealOf<T>> of_rows(static_cast<std::size_t>(parts_.rows));
  for (std::int64_t j = 0; j < parts_.columns; ++j) {
    const T* const column = parts_.column(j);
    const std::int64_t diagonal = global(j, schedule_.columns(), grid_.here->column);
    const std::int64_t first = first_row(j);
    sums[static_cast<std::size_t>(diagonal)] += sum_of_sizes(column + first, parts_.rows - first);
    for (std::int64_t i = schedule_.rows_before(grid_.here->row, diagonal + 1); i < parts_.rows;
         ++i)
      of_rows[static_cast<std::size_t>(i)] += std::abs(column[i]);
  }
  for (std::int64_t i = 0; i < parts_.rows; ++i) {
    const std::int64_t row = global(i, schedule_.rows(), grid_.here->row);
    sums[static_cast<std::size_t>(row)] += of_rows[static_cast<std::size_t>(i)];
  }
  allreduce(communicator_, sums, sums, Reduction::Kind::sum);
  return largest_of<T>(sums);
}

template <MatrixElement T>
bool DistributedTriangles<T>::is_finite() const {
  bool finite = true;
  for (std::int64_t j = 0; j < parts_.columns; ++j) {
    const std::int64_t first = first_row(j);
    finite = finite && all_finite(parts_.block(first, j, parts_.rows - first, 1));
  }
  return on_all_ranks(finite);
}

template <MatrixElement T>
template <class Use>
void DistributedTriangles<T>::for_own_diagonal(const Use& use) const {
  if (!grid_.here || grid_.here->layer != 0) return;
  for (std::int64_t index = 0; index < schedule_.steps(); ++index) {
    const PanelStep step = schedule_.step(index);
    if (grid_.here->row != step.row || grid_.here->column != step.column) continue;
    const std::int64_t row = schedule_.step_rows(step).begin;
    const std::int64_t column = schedule_.step_columns(step).begin;
    for (std::int64_t k = 0; k < step.width(); ++k) use(parts_(row + k, column + k));
  }
}

template <MatrixElement T>
bool DistributedTriangles<T>::on_all_ranks(bool holds) const {
  int all = holds ? 1 : 0;
  allreduce(communicator_, std::span(&all, 1), std::span(&all, 1), Reduction::Kind::minimum);
  return all != 0;
}

template <MatrixElement T>
bool DistributedTriangles<T>::has_finite_diagonal() const {
  bool finite = true;
  for_own_diagonal([&](T element) { finite = finite && detail::is_finite(element); });
  return on_all_ranks(finite);
}

template <MatrixElement T>
Determinant<T> DistributedTriangles<T>::diagonal_product(std::span<const std::int64_t> swaps,
                                                         int power) const {
  double logarithm = 0;
  std::complex<double> sign = 1;
  for_own_diagonal([&](T element) {
    const std::complex<double> pivot(element);
    const double size = std::abs(pivot);
    logarithm += power * std::log(size);
    for (int factor = 0; factor < power; ++factor)
      sign *= size == 0 ? std::complex<double>(0) : pivot / size;
  });
  allreduce(communicator_, std::span(&logarithm, 1), std::span(&logarithm, 1),
            Reduction::Kind::sum);
  allreduce(communicator_, std::span(&sign, 1), std::span(&sign, 1), Reduction::Kind::product);
  for (std::size_t k = 0; k < swaps.size(); ++k) {
    if (swaps[k] != static_cast<std::int64_t>(k)) sign = -sign;
  }
  Determinant<T> determinant;
  if constexpr (is_complex<T>) {
    determinant.sign = T(sign);
  } else {
    determinant.sign = static_cast<T>(sign.real());
  }
  determinant.logarithm_of_size = logarithm;
  return determinant;
}

#define CUBOID_INSTANTIATE(T) template class DistributedTriangles<T>
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
