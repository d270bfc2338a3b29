#include "mm/lu/transposed_stage.hpp"

#include <cuboid/collectives.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/local_views.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <span>

namespace cuboid::detail {

template <MatrixElement T>
TransposedStage<T>::TransposedStage(LuContext<T>& lu, const CholeskySchedule& schedule)
    : lu_(lu), schedule_(schedule), senders_(schedule.senders(lu.here.column)) {}

template <MatrixElement T>
void TransposedStage<T>::start(const PanelStep& step, LocalView<const T> below) {
  started_ = step.index + 1;
  Travelling& panel = travelling(step);
  panel.come.clear();
  const std::int64_t depth = lu_.slice(step).length();
  const std::int64_t right = lu_.schedule.columns_right(step, lu_.here.column).length();
  T* next = resized(panel.pieces, depth, right).data;
  for (const int sender : senders_) {
    const LocalView<T> piece = dense_view(next, depth, columns_of(step, sender));
    const auto length = static_cast<std::size_t>(piece.rows * piece.columns);
    next += length;
    if (length == 0) continue;
    if (sender == lu_.here.row) pack(step, below, piece);
    panel.come.push_back(start_broadcast(lu_.grid.column, std::span(piece.data, length), sender));
  }
}

template <MatrixElement T>
void TransposedStage<T>::pack(const PanelStep& step, LocalView<const T> below,
                              LocalView<T> piece) const {
  const std::int64_t first = lu_.schedule.rows_below(step, lu_.here.row).begin;
  std::int64_t column = 0;
  schedule_.for_shared_blocks(
      step, lu_.here.row, lu_.here.column, [&](const Extent& rows, const Extent&) {
        copy<T>(Op::conjugate_transpose,
                below.block(rows.begin - first, 0, rows.length(), below.columns),
                piece.block(0, column, piece.rows, rows.length()));
        column += rows.length();
      });
}

template <MatrixElement T>
bool TransposedStage<T>::in_flight(const PanelStep& step) {
  return !std::ranges::all_of(travelling(step).come,
                              [](Request& request) { return request.test(); });
}

template <MatrixElement T>
LocalView<T> TransposedStage<T>::take(const PanelStep& step) {
  Travelling& panel = travelling(step);
  for (Request& request : panel.come) request.wait();
  const std::int64_t depth = lu_.slice(step).length();
  const Extent right = lu_.schedule.columns_right(step, lu_.here.column);
  if (senders_.size() == 1 || depth == 0)
    return dense_view(panel.pieces.data(), depth, right.length());
  const LocalView<T> in_order = resized(panel.in_order, depth, right.length());
  const T* next = panel.pieces.data();
  for (const int sender : senders_) {
    schedule_.for_shared_blocks(
        step, sender, lu_.here.column, [&](const Extent&, const Extent& columns) {
          copy<T>(dense_view(next, depth, columns.length()),
                  in_order.block(0, columns.begin - right.begin, depth, columns.length()));
          next += depth * columns.length();
        });
  }
  return in_order;
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(TransposedStage);

}  // namespace cuboid::detail
