#include "mm/lu/transposed_rows.hpp"

#include <cuboid/allgather.hpp>

#include "mm/matrix/local_copy.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>

namespace cuboid::detail {

template <MatrixElement T>
LocalView<T> TransposedRows<T>::gather(const LuStep& step, const std::vector<T>& below) {
  const StepMeter<T> meter(lu_, &LuSeconds::multicast, &LuTraffic::multicast);
  const LuSchedule& schedule = lu_.schedule;
  const Extent right = schedule.columns_right(step, lu_.here.column);
  const std::int64_t depth = lu_.slice(step).length(), columns = right.length();
  const LocalView<T> upper = resized(upper_, depth, columns);
  const std::int64_t block = schedule.block();
  // Local columns block by block, each from the grid row that has the rows of this number.
  const auto for_each_block = [&](const auto& use) {
    for (std::int64_t begin = right.begin; begin < right.end;) {
      const std::int64_t global = (begin / block * schedule.columns() + lu_.here.column) * block;
      const std::int64_t length = std::min(block - begin % block, right.end - begin);
      use(begin - right.begin, global + begin % block, length);
      begin += length;
    }
  };
  std::vector<std::size_t> counts(static_cast<std::size_t>(schedule.rows()));
  mine_.clear();
  const Extent rows = schedule.rows_below(step, lu_.here.row);
  for_each_block([&](std::int64_t, std::int64_t global, std::int64_t length) {
    const int from = lu_.grid_row_of(global);
    counts[static_cast<std::size_t>(from)] += static_cast<std::size_t>(length * depth);
    if (from != lu_.here.row) return;
    const std::int64_t row = lu_.local_row(global) - rows.begin;
    for (std::int64_t i = row; i < row + length; ++i) {
      for (std::int64_t k = 0; k < depth; ++k)
        mine_.push_back(conjugate(below[static_cast<std::size_t>(i + k * rows.length())]));
    }
  });
  came_.resize(static_cast<std::size_t>(depth * columns));
  if (!came_.empty()) allgatherv(lu_.grid.column, mine_, came_, counts);
  std::vector<const T*> next;
  const T* begin = came_.data();
  for (const std::size_t count : counts) {
    next.push_back(begin);
    begin += count;
  }
  for_each_block([&](std::int64_t column, std::int64_t global, std::int64_t length) {
    const T*& from = next[static_cast<std::size_t>(lu_.grid_row_of(global))];
    std::copy_n(from, length * depth, upper.column(column));
    from += length * depth;
  });
  if (lu_.in_row(step)) {
    const Extent own = schedule.step_rows(step), slice = lu_.slice(step);
    scale(T(0), part(lu_.parts, own, right));
    copy<T>(upper, part(lu_.parts, {own.begin + slice.begin, own.begin + slice.end}, right));
  }
  return upper;
}

template class TransposedRows<float>;
template class TransposedRows<double>;
template class TransposedRows<std::complex<float>>;
template class TransposedRows<std::complex<double>>;

}  // namespace cuboid::detail
