#include "models/factorisation/lu_step_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

LuStepSizes::LuStepSizes(const PanelSchedule& schedule, const PanelStep& step, LuPivotCost pivots)
    : width(static_cast<double>(step.width())),
      left(static_cast<double>(schedule.m() - step.begin)),
      below(static_cast<double>(schedule.m() - step.end)),
      right(static_cast<double>(schedule.n() - step.end)) {
  if (pivots == LuPivotCost::none) return;
  const auto share_of = [&](std::int64_t rows) {
    return width * (left - static_cast<double>(rows)) / left;
  };
  exchanged = share_of(step.width());
  from_other_pieces = share_of(schedule.panel_piece(step, step.row, 0).length());
  from_other_rows = share_of(schedule.panel_rows(step, step.row).length());
}

double messages_in_rank_order(double members) {
  const double levels = std::floor(std::log2(members)), doubled = std::exp2(levels);
  return doubled * levels + 2 * (members - doubled);
}

double steps_in_rank_order(double members) {
  const double levels = std::floor(std::log2(members));
  return members > std::exp2(levels) ? levels + 2 : levels;
}

namespace {

/// The words of the messages that find the pivots and send the diagonal block to the panel's ranks.
double pivot_words(double members, const LuStepSizes& size, LuPivotCost pivots,
                   double words_per_number) {
  const double row = size.width + words_per_number;
  switch (pivots) {
    case LuPivotCost::none: return (members - 1) * size.width * size.width;
    case LuPivotCost::tournament: return messages_in_rank_order(members) * size.width * row;
    case LuPivotCost::partial: return 2 * (members - 1) * size.width * (row + 2 * words_per_number);
  }
  return 0;
}

}  // namespace

LuStepWords words_of_step(const PanelSchedule& schedule, const LuStepSizes& size,
                          LuPivotCost pivots, std::size_t element_bytes) {
  const double down = schedule.rows(), across = schedule.columns(), layers = schedule.layers();
  const double words_per_number = 8.0 / static_cast<double>(element_bytes);
  const double others = layers - 1, dealt = others / layers;
  const bool pivoting = pivots != LuPivotCost::none;

  const double sums = others * size.left * size.width;
  const double panel = sums + dealt * size.left * size.width +
                       pivot_words(down * layers, size, pivots, words_per_number) +
                       size.from_other_pieces * size.width;
  const double lower = size.width * size.below * (across - 1);
  const double upper = size.width * size.right * (down - 1);
  const double diagonal = layers * (across - 1) * size.width * size.width;
  const double numbers =
      pivoting ? down * layers * (across - 1) * size.width * words_per_number : 0;
  const double rows =
      (others * (size.width + size.exchanged) + dealt * size.width + 2 * size.from_other_rows) *
      size.right;
  const double interchange = pivoting ? (1 - 1 / down) * size.width * size.below : 0;
  return {panel, lower + upper + diagonal + numbers, rows, interchange};
}

}  // namespace cuboid::detail
