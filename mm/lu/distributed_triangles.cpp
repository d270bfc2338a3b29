#include "mm/lu/distributed_triangles.hpp"

#include <cuboid/allreduce.hpp>
#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>
#include <cuboid/reduce_scatter.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/lu/layer_blocks.hpp"
#include "mm/matrix/all_finite.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/same_communicator.hpp"

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

/// Elements from one column to the next: whole cache lines, and no multiple of a page, at which all
/// elements of a row would compete for the same few places in the caches.
template <MatrixElement T>
std::int64_t spaced(std::int64_t rows) {
  constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T)), page = 64 * line;
  const std::int64_t whole_lines = std::max<std::int64_t>((rows + line - 1) / line, 1) * line;
  return whole_lines % page == 0 ? whole_lines + line : whole_lines;
}

/// In several sums at once, as one alone would wait for each addition.
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
void DistributedTriangles<T>::bring(const Matrix<T>& A, bool hermitian) {
  Matrix<T> share = collective_try(communicator_, [&] {
    if (schedule_.layers() > 1 || !grid_.here) return Matrix<T>(communicator_, layout());
    return Matrix<T>::wrap(communicator_, layout(), parts_.data, parts_.leading_dimension);
  });
  redistribute(Op::none, A, share);
  if (hermitian) mirror(A, share);
  spread(share);
}

template <MatrixElement T>
void DistributedTriangles<T>::mirror(const Matrix<T>& A, Matrix<T>& share) const {
  // In strips of columns: what is above a strip's square comes to its place, and only the square
  // takes memory beside the share.
  constexpr std::int64_t strips = 8, narrow = 512;
  const std::int64_t n = A.n(), width = std::max((n + strips - 1) / strips, narrow);
  for (std::int64_t begin = 0; begin < n; begin += width) {
    const std::int64_t columns = std::min(width, n - begin);
    const Global<Row> row(begin);
    const Global<Column> column(begin);
    if (begin > 0) {
      redistribute(Op::conjugate_transpose, view(A, row, Global<Column>(0), columns, begin),
                   view(share, Global<Row>(0), column, begin, columns));
    }
    MatrixView<T> square = view(share, row, column, columns, columns);
    Matrix<T> transposed =
        collective_try(communicator_, [&] { return Matrix<T>(communicator_, square.layout()); });
    redistribute(Op::conjugate_transpose, view(A, row, column, columns, columns), transposed);
    const auto here = square.position();
    if (!here) continue;
    for (Local<Column> j; j.value < square.local_columns(); ++j) {
      const std::int64_t above = square.layout().columns().global(here->column, j).value;
      for (Local<Row> i; i.value < square.local_rows(); ++i) {
        if (square.layout().rows().global(here->row, i).value >= above) break;
        square(i, j) = transposed(i, j);
      }
    }
  }
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
void DistributedTriangles<T>::copy_to(Matrix<T>& A) const {
  require_fitting("copy_to", A, A.m() == schedule_.m() && A.n() == schedule_.n(),
                  fmt::format("{}x{}", schedule_.m(), schedule_.n()));
  if (schedule_.layers() == 1) {
    const LocalView<T> parts = grid_.here ? parts_ : LocalView<T>{};
    redistribute(Op::none,
                 Matrix<T>::wrap(communicator_, layout(), parts.data, parts.leading_dimension), A);
    return;
  }
  Matrix<T> share =
      collective_try(communicator_, [&] { return Matrix<T>(communicator_, layout()); });
  work([&] {
    // Some columns at a time, as what is sent is packed.
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
  redistribute(Op::none, share, A);
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
RealOf<T> DistributedTriangles<T>::one_norm() const {
  RealOf<T> norm = 0;
  work([&] {
    std::vector<RealOf<T>> sums(static_cast<std::size_t>(parts_.columns));
    for (std::int64_t j = 0; j < parts_.columns; ++j)
      sums[static_cast<std::size_t>(j)] = sum_of_sizes(parts_.column(j), parts_.rows);
    if (sums.empty()) return;
    allreduce(grid_.column_plane, sums, sums, Reduction::Kind::sum);
    // NaN compares with nothing, so it is taken explicitly.
    for (const RealOf<T> sum : sums) norm = std::isnan(sum) ? sum : std::max(norm, sum);
  });
  RealOf<T> largest = std::isnan(norm) ? std::numeric_limits<RealOf<T>>::infinity() : norm;
  allreduce(communicator_, std::span(&largest, 1), std::span(&largest, 1),
            Reduction::Kind::maximum);
  return largest;
}

template <MatrixElement T>
template <class Use>
void DistributedTriangles<T>::for_own_diagonal(const Use& use) const {
  if (!grid_.here || grid_.here->layer != 0) return;
  for (std::int64_t index = 0; index < schedule_.steps(); ++index) {
    const LuStep step = schedule_.step(index);
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
bool DistributedTriangles<T>::is_finite() const {
  return on_all_ranks(all_finite(parts_));
}

template <MatrixElement T>
bool DistributedTriangles<T>::has_finite_diagonal() const {
  bool finite = true;
  for_own_diagonal([&](T element) { finite = finite && std::isfinite(std::abs(element)); });
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
