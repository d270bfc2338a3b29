#include "mm/lu/later_interchanges.hpp"

#include "mm/lu/row_exchange.hpp"
#include "mm/matrix/element_types.hpp"

#include <complex>
#include <numeric>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

/// The order of rows after some swaps, to which earlier swaps are added at the front.
class LaterSwaps {
 public:
  explicit LaterSwaps(std::int64_t rows)
      : source_(static_cast<std::size_t>(rows)), place_(source_.size()) {
    std::iota(source_.begin(), source_.end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
  }

  void put_before(std::int64_t row, std::int64_t other) {
    std::int64_t& place = place_[static_cast<std::size_t>(row)];
    std::int64_t& other_place = place_[static_cast<std::size_t>(other)];
    source_[static_cast<std::size_t>(place)] = other;
    source_[static_cast<std::size_t>(other_place)] = row;
    std::swap(place, other_place);
  }

  /// The moves of rows from `begin` on, without rows that stay.
  std::vector<RowMove> moves(std::int64_t begin) const {
    std::vector<RowMove> moves;
    const auto rows = static_cast<std::int64_t>(source_.size());
    for (std::int64_t to = begin; to < rows; ++to) {
      const std::int64_t from = source_[static_cast<std::size_t>(to)];
      if (from != to) moves.push_back({from, to});
    }
    return moves;
  }

 private:
  std::vector<std::int64_t> source_;  // by place
  std::vector<std::int64_t> place_;   // by source
};

}  // namespace

template <MatrixElement T>
void apply_later_interchanges(const LuGrid& grid, const PanelSchedule& schedule,
                              std::span<const std::int64_t> swaps, LocalView<T> parts) {
  const LayeredPosition here = *grid.here;
  const auto owner = [&](std::int64_t row) {
    return static_cast<int>(row / schedule.block() % schedule.rows());
  };
  LaterSwaps later(schedule.m());
  for (std::int64_t index = schedule.steps() - 1; index >= 0; --index) {
    const PanelStep step = schedule.step(index);
    const Extent slice = schedule.slice(step, here.layer);
    if (here.column == step.column) {
      const std::int64_t column = schedule.step_columns(step).begin + slice.begin;
      const auto row_at = [&](std::int64_t row) {
        return &parts(schedule.rows_before(here.row, row), column);
      };
      exchange_rows<T>(
          grid.column, later.moves(step.end), slice.length(), owner,
          [&](std::int64_t row) {
            return RowView<const T>{row_at(row), parts.leading_dimension};
          },
          [&](std::int64_t row) {
            return RowView<T>{row_at(row), parts.leading_dimension};
          });
    }
    for (std::int64_t k = step.end - 1; k >= step.begin; --k) {
      later.put_before(k, swaps[static_cast<std::size_t>(k)]);
    }
  }
}

#define CUBOID_FOR(T)                                                         \
  template void apply_later_interchanges(const LuGrid&, const PanelSchedule&, \
                                         std::span<const std::int64_t>, LocalView<T>)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
