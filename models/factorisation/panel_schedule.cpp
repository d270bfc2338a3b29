#include "models/factorisation/panel_schedule.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

/// The number of indices before `index` that a process owns if blocks are distributed cyclically.
std::int64_t held_before(std::int64_t index, std::int64_t block, int processes, int process) {
  const std::int64_t cycle = block * processes;
  const std::int64_t in_last = index % cycle - process * block;
  return index / cycle * block + std::clamp<std::int64_t>(in_last, 0, block);
}

/// Part number `part` of `parts` equal parts.
Extent even_part(const Extent& whole, int part, int parts) {
  return {whole.begin + whole.length() * part / parts,
          whole.begin + whole.length() * (part + 1) / parts};
}

}  // namespace

PanelSchedule::PanelSchedule(std::int64_t m, std::int64_t n, std::int64_t block, int rows,
                             int columns, int layers)
    : m_(m),
      n_(n),
      block_(std::min(block, std::max<std::int64_t>({m, n, 1}))),
      rows_(rows),
      columns_(columns),
      layers_(layers) {}

std::int64_t PanelSchedule::steps() const {
  return (std::min(m_, n_) + block_ - 1) / block_;
}

PanelStep PanelSchedule::step(std::int64_t index) const {
  return {index, index * block_, std::min((index + 1) * block_, std::min(m_, n_)),
          static_cast<int>(index % rows_), static_cast<int>(index % columns_)};
}

std::int64_t PanelSchedule::rows_before(int grid_row, std::int64_t row) const {
  return held_before(row, block_, rows_, grid_row);
}

std::int64_t PanelSchedule::columns_before(int grid_column, std::int64_t column) const {
  return held_before(column, block_, columns_, grid_column);
}

Extent PanelSchedule::panel_rows(const PanelStep& step, int grid_row) const {
  return {rows_before(grid_row, step.begin), local_rows(grid_row)};
}

Extent PanelSchedule::rows_below(const PanelStep& step, int grid_row) const {
  return {rows_before(grid_row, step.end), local_rows(grid_row)};
}

Extent PanelSchedule::columns_right(const PanelStep& step, int grid_column) const {
  return {columns_before(grid_column, step.end), local_columns(grid_column)};
}

Extent PanelSchedule::step_columns(const PanelStep& step) const {
  return {columns_before(step.column, step.begin), columns_before(step.column, step.end)};
}

Extent PanelSchedule::step_rows(const PanelStep& step) const {
  return {rows_before(step.row, step.begin), rows_before(step.row, step.end)};
}

Extent PanelSchedule::panel_piece(const PanelStep& step, int grid_row, int layer) const {
  const Extent whole = panel_rows(step, grid_row);
  Extent piece = even_part(whole, layer, layers_);
  if (grid_row != step.row) return piece;
  const std::int64_t diagonal_end = whole.begin + step.width();
  if (layer > 0) piece.begin = std::max(piece.begin, diagonal_end);
  piece.end = std::max(piece.end, diagonal_end);
  return piece;
}

Extent PanelSchedule::row_piece(const PanelStep& step, int grid_column, int layer) const {
  return even_part(columns_right(step, grid_column), layer, layers_);
}

Extent PanelSchedule::slice(const PanelStep& step, int layer) const {
  return even_part({0, step.width()}, layer, layers_);
}

}  // namespace cuboid::detail
