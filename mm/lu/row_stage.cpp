#include "mm/lu/row_stage.hpp"

#include <cuboid/alltoall.hpp>
#include <cuboid/reduce_scatter.hpp>

#include "mm/lu/row_exchange.hpp"
#include "mm/matrix/local_copy.hpp"

#include <algorithm>
#include <complex>
#include <numeric>
#include <utility>

namespace cuboid::detail {

template <MatrixElement T>
void RowStage<T>::take_pivots(const PanelStep& step, TravellingPanel<T>& panel) {
  const StepMeter<T> meter(lu_, &LuSeconds::multicast, &LuCommunication::multicast);
  panel.pivots_come.wait();
  panel.diagonal_comes.wait();
  if (lu_.pivots()) {
    interchange_ = Interchange(step.begin, panel.pivot_rows);
  } else {
    std::vector<std::int64_t> as_they_are(static_cast<std::size_t>(step.width()));
    std::iota(as_they_are.begin(), as_they_are.end(), step.begin);
    interchange_ = Interchange(step.begin, as_they_are);
  }
  lu_.outcome.swaps.insert(lu_.outcome.swaps.end(), interchange_.swaps().begin(),
                           interchange_.swaps().end());
}

template <MatrixElement T>
LocalView<T> RowStage<T>::solve(const PanelStep& step, const std::vector<T>& diagonal) {
  const StepMeter<T> meter(lu_, &LuSeconds::rows, &LuCommunication::rows);
  const Extent right = lu_.schedule.columns_right(step, lu_.here.column);
  const Extent piece = lu_.schedule.row_piece(step, lu_.here.column, lu_.here.layer);
  const std::int64_t depth = lu_.slice(step).length();
  const LocalView<T> upper = resized(upper_, depth, right.length());
  if (lu_.has_layers()) sum_over_layers(right, piece);
  const LocalView<T> solved =
      lu_.has_layers() ? resized(lu_.piece, lu_.in_row(step) ? step.width() : 0, piece.length())
                       : upper;
  exchange(step, piece, solved);
  if (!lu_.in_row(step)) return upper;
  const std::int64_t width = step.width();
  lu_.kernels.lapack.trsm(MatrixSide::left, Triangle::lower, Op::none, Diagonal::unit, T(1),
                          LocalView<const T>{diagonal.data(), width, width, width}, solved);
  give_to_layers(step, solved, upper);
  return upper;
}

/// Sums the rows of this rank that the step exchanges over the layers, in this layer's piece of the
/// columns. The rank's part of the matrix then has zeros there.
template <MatrixElement T>
void RowStage<T>::sum_over_layers(const Extent& right, const Extent& piece) {
  involved_.clear();
  for (const RowMove& move : interchange_.moves()) {
    if (lu_.grid_row_of(move.from) == lu_.here.row) involved_.push_back(move.from);
  }
  std::sort(involved_.begin(), involved_.end());
  const auto count = static_cast<std::int64_t>(involved_.size());
  resized(summed_, count, piece.length());
  const LocalView<T> packed = resized(lu_.packed, count, right.length());
  std::vector<std::int64_t> locals;
  for (const std::int64_t row : involved_) locals.push_back(lu_.local_row(row));
  for (std::int64_t j = 0; j < packed.columns; ++j) {
    T* const column = lu_.parts.column(right.begin + j);
    T* next = packed.column(j);
    for (const std::int64_t local : locals) *next++ = std::exchange(column[local], T(0));
  }
  if (packed.rows == 0 || packed.columns == 0) return;
  std::vector<std::size_t> counts;
  for (int layer = 0; layer < lu_.schedule.layers(); ++layer) {
    const std::int64_t begin = right.length() * layer / lu_.schedule.layers();
    const std::int64_t end = right.length() * (layer + 1) / lu_.schedule.layers();
    counts.push_back(static_cast<std::size_t>(count * (end - begin)));
  }
  reduce_scatterv(lu_.grid.line, lu_.packed, summed_, counts, Reduction::Kind::sum);
}

template <MatrixElement T>
void RowStage<T>::exchange(const PanelStep& step, const Extent& piece, LocalView<T> solved) {
  const auto in_matrix = [&](std::int64_t row) {
    return RowView<T>{&lu_.parts(lu_.local_row(row), piece.begin), lu_.parts.leading_dimension};
  };
  const auto source = [&](std::int64_t row) {
    if (!lu_.has_layers()) {
      const RowView<T> here = in_matrix(row);
      return RowView<const T>{here.data, here.stride};
    }
    const auto found = std::lower_bound(involved_.begin(), involved_.end(), row);
    return RowView<const T>{summed_.data() + (found - involved_.begin()),
                            static_cast<std::int64_t>(involved_.size())};
  };
  const auto destination = [&](std::int64_t row) {
    if (row >= step.end) return in_matrix(row);
    return RowView<T>{solved.data + (row - step.begin), solved.leading_dimension};
  };
  exchange_rows<T>(
      lu_.grid.column, interchange_.moves(), piece.length(),
      [&](std::int64_t row) { return lu_.grid_row_of(row); }, source, destination);
}

/// Every layer gets its slice of the block row, which its part of the matrix then has.
template <MatrixElement T>
void RowStage<T>::give_to_layers(const PanelStep& step, LocalView<T> solved, LocalView<T> upper) {
  const Extent right = lu_.schedule.columns_right(step, lu_.here.column);
  const Extent slice = lu_.slice(step);
  if (lu_.has_layers()) {
    std::vector<std::size_t> send, receive;
    lu_.packed.clear();
    for (int layer = 0; layer < lu_.schedule.layers(); ++layer) {
      const Extent others = lu_.schedule.slice(step, layer);
      send.push_back(static_cast<std::size_t>(others.length() * solved.columns));
      receive.push_back(static_cast<std::size_t>(
          slice.length() * lu_.schedule.row_piece(step, lu_.here.column, layer).length()));
      for (std::int64_t j = 0; j < solved.columns; ++j) {
        const T* const column = solved.column(j);
        lu_.packed.insert(lu_.packed.end(), column + others.begin, column + others.end);
      }
    }
    alltoallv(lu_.grid.line, lu_.packed, {send}, upper_, {receive});
  }
  const Extent rows = lu_.schedule.step_rows(step);
  copy<T>(upper, lu_.parts.block(rows.begin + slice.begin, right.begin, upper.rows, upper.columns));
}

template class RowStage<float>;
template class RowStage<double>;
template class RowStage<std::complex<float>>;
template class RowStage<std::complex<double>>;

}  // namespace cuboid::detail
