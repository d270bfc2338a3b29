#include "mm/lu/row_stage.hpp"

#include <cuboid/collectives.hpp>

#include "mm/lu/row_exchange.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/local_views.hpp"

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
LocalView<T> RowStage<T>::solve(const PanelStep& step, TravellingPanel<T>& panel) {
  const StepMeter<T> meter(lu_, &LuSeconds::rows, &LuCommunication::rows);
  const auto progress = [&] { panel.in_flight(); };
  const Extent right = lu_.schedule.columns_right(step, lu_.here.column);
  const Extent piece = lu_.schedule.row_piece(step, lu_.here.column, lu_.here.layer);
  const std::int64_t depth = lu_.slice(step).length(), width = step.width();
  const LocalView<T> upper = resized(upper_, depth, right.length());
  const LocalView<T> solved =
      lu_.has_layers() ? resized(lu_.piece, lu_.in_row(step) ? width : 0, piece.length()) : upper;
  if (!in_place()) take_rows(right, piece, GemmProgress(progress));
  exchange(step, piece, solved);
  if (lu_.resident.on_device()) put_rows(step, right, GemmProgress(progress));
  if (!lu_.in_row(step)) return upper;
  const LocalView<const T> lower{panel.diagonal.data(), width, width, width};
  if (!lu_.resident.on_device() ||
      !lu_.resident.solve_unit_lower(lower, solved, GemmProgress(progress))) {
    lu_.kernels.lapack.trsm(MatrixSide::left, Triangle::lower, Op::none, Diagonal::unit, T(1),
                            lower, solved);
  }
  give_to_layers(step, solved, upper);
  return upper;
}

/// Finds the rows of this rank that the step exchanges, and copies them to `summed_`: their sums
/// over the layers, in this layer's piece of the columns. With several layers the rank's part of
/// the matrix has zeros there afterwards.
template <MatrixElement T>
void RowStage<T>::take_rows(const Extent& right, const Extent& piece, GemmProgress progress) {
  involved_.clear();
  locals_.clear();
  for (const RowMove& move : interchange_.moves()) {
    if (lu_.grid_row_of(move.from) == lu_.here.row) involved_.push_back(move.from);
  }
  std::sort(involved_.begin(), involved_.end());
  for (const std::int64_t row : involved_) locals_.push_back(lu_.local_row(row));
  const auto count = static_cast<std::int64_t>(involved_.size());
  const LocalView<T> summed = resized(summed_, count, piece.length());
  const LocalView<T> taken = lu_.has_layers() ? resized(lu_.packed, count, right.length()) : summed;
  if (lu_.resident.on_device()) {
    lu_.resident.take_rows(columns(right), locals_, taken, progress);
    resized(returned_, count, right.length());
    if (lu_.has_layers()) std::ranges::fill(returned_, T(0));
  } else {
    for (std::int64_t j = 0; j < taken.columns; ++j) {
      T* const column = lu_.parts.column(right.begin + j);
      T* next = taken.column(j);
      for (const std::int64_t local : locals_) *next++ = std::exchange(column[local], T(0));
    }
  }
  if (!lu_.has_layers() || taken.rows == 0 || taken.columns == 0) return;
  std::vector<std::size_t> counts;
  for (int layer = 0; layer < lu_.schedule.layers(); ++layer) {
    const std::int64_t begin = right.length() * layer / lu_.schedule.layers();
    const std::int64_t end = right.length() * (layer + 1) / lu_.schedule.layers();
    counts.push_back(static_cast<std::size_t>(count * (end - begin)));
  }
  reduce_scatterv(lu_.grid.line, lu_.packed, summed_, counts, Reduction::Kind::sum);
}

/// Rows that the exchange leaves below the block row go back to the device.
template <MatrixElement T>
void RowStage<T>::put_rows(const PanelStep& step, const Extent& right, GemmProgress progress) {
  const auto below = std::lower_bound(involved_.begin(), involved_.end(), step.end);
  const auto first = below - involved_.begin(), count = std::ssize(involved_) - first;
  const LocalView<T> all = dense_view(returned_.data(), std::ssize(involved_), right.length());
  lu_.resident.put_rows(columns(right), std::span(locals_).subspan(static_cast<std::size_t>(first)),
                        all.block(first, 0, count, all.columns), progress);
}

template <MatrixElement T>
void RowStage<T>::exchange(const PanelStep& step, const Extent& piece, LocalView<T> solved) {
  const auto in_matrix = [&](std::int64_t row) {
    return RowView<T>{&lu_.parts(lu_.local_row(row), piece.begin), lu_.parts.leading_dimension};
  };
  const auto among_taken = [&](std::int64_t row, T* taken) {
    const auto found = std::lower_bound(involved_.begin(), involved_.end(), row);
    return RowView<T>{taken + (found - involved_.begin()), std::ssize(involved_)};
  };
  const std::int64_t before = piece.begin - lu_.schedule.columns_right(step, lu_.here.column).begin;
  const auto source = [&](std::int64_t row) {
    const RowView<T> here = in_place() ? in_matrix(row) : among_taken(row, summed_.data());
    return RowView<const T>{here.data, here.stride};
  };
  const auto destination = [&](std::int64_t row) {
    if (row < step.end)
      return RowView<T>{solved.data + (row - step.begin), solved.leading_dimension};
    if (!lu_.resident.on_device()) return in_matrix(row);
    return among_taken(row, returned_.data() + before * std::ssize(involved_));
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
  if (lu_.has_layers()) scale(T(0), part(lu_.parts, rows, right));
  copy<T>(upper, lu_.parts.block(rows.begin + slice.begin, right.begin, upper.rows, upper.columns));
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(RowStage);

}  // namespace cuboid::detail
