#include "mm/lu/panel_stage.hpp"

#include <cuboid/collectives.hpp>

#include "mm/lu/row_exchange.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/local_views.hpp"

#include <complex>
#include <numeric>
#include <span>
#include <utility>

namespace cuboid::detail {

template <MatrixElement T>
void PanelStage<T>::send(const PanelStep& step) {
  TravellingPanel<T>& panel = panel_of(step);
  if (lu_.in_column(step)) {
    const StepMeter<T> meter(lu_, &LuSeconds::panel, &LuCommunication::panel);
    factorise(step, panel);
  }
  const StepMeter<T> meter(lu_, &LuSeconds::multicast, &LuCommunication::multicast);
  const auto width = static_cast<std::size_t>(step.width());
  const std::int64_t depth = lu_.slice(step).length();
  if (lu_.pivots()) {
    panel.pivot_rows.resize(width);
    panel.pivots_come = start_broadcast(lu_.grid.row, panel.pivot_rows, step.column);
  }
  if (lu_.in_row(step) && !lu_.method.hermitian) {
    panel.diagonal.resize(width * width);
    panel.diagonal_comes = start_broadcast(lu_.grid.row, panel.diagonal, step.column);
  }
  const LocalView<T> below =
      resized(panel.below, lu_.schedule.rows_below(step, lu_.here.row).length(), depth);
  if (below.rows > 0 && depth > 0)
    panel.below_comes = start_broadcast(lu_.grid.row, panel.below, step.column);
}

template <MatrixElement T>
void PanelStage<T>::start_fetch(const PanelStep& step) {
  if (!lu_.resident.on_device() || !lu_.in_column(step)) return;
  const StepMeter<T> meter(lu_, &LuSeconds::panel, &LuCommunication::panel);
  lu_.resident.start_fetch(part(lu_.parts, lu_.schedule.panel_rows(step, lu_.here.row),
                                lu_.schedule.step_columns(step)));
}

template <MatrixElement T>
void PanelStage<T>::factorise(const PanelStep& step, TravellingPanel<T>& panel) {
  if (lu_.resident.on_device()) {
    const auto progress = [&] { panels_[(step.index + 1) % 2].in_flight(); };
    lu_.resident.finish_fetch(GemmProgress(progress));
  }
  const Extent rows = lu_.schedule.panel_piece(step, lu_.here.row, lu_.here.layer);
  const LocalView<T> piece = sum_over_layers(step, rows);
  LuPanelPiece<T> mine{piece, {}};
  for (std::int64_t row = rows.begin; row < rows.end; ++row)
    mine.rows.push_back(lu_.global_row(row));
  PanelFactors<T> factors = factorise_piece(step, mine);
  if (factors.zero_pivot > 0 && lu_.outcome.zero_pivot == 0)
    lu_.outcome.zero_pivot = step.begin + factors.zero_pivot;
  if (lu_.pivots()) exchange_rows_within(step, rows, piece, factors.pivot_rows);
  give_to_layers(step, piece, factors, panel);
  panel.pivot_rows = std::move(factors.pivot_rows);
  panel.diagonal = std::move(factors.diagonal);
}

template <MatrixElement T>
PanelFactors<T> PanelStage<T>::factorise_piece(const PanelStep& step,
                                               const LuPanelPiece<T>& piece) {
  const Communicator& plane = lu_.grid.column_plane;
  if (lu_.pivots() && plane.size() == 1) return factorise_panel_alone(piece, lu_.kernels);
  switch (lu_.method.pivoting) {
    case Pivoting::none:
      return factorise_panel_unpivoted(plane, piece, step.row, lu_.method.hermitian, lu_.kernels);
    case Pivoting::tournament: return factorise_panel_by_tournament(plane, piece, lu_.kernels);
    case Pivoting::partial: break;
  }
  return factorise_panel_partially(plane, piece, step.begin, lu_.kernels);
}

/// This rank's piece of the panel, summed over the layers; with one layer, in place.
template <MatrixElement T>
LocalView<T> PanelStage<T>::sum_over_layers(const PanelStep& step, const Extent& rows) {
  const Extent columns = lu_.schedule.step_columns(step);
  if (!lu_.has_layers()) return part(lu_.parts, rows, columns);
  const LocalView<T> sum = resized(lu_.piece, rows.length(), step.width());
  std::vector<std::size_t> counts;
  lu_.packed.clear();
  const std::int64_t all_rows = lu_.schedule.panel_rows(step, lu_.here.row).length();
  lu_.packed.reserve(static_cast<std::size_t>(all_rows * step.width()));
  for (int layer = 0; layer < lu_.schedule.layers(); ++layer) {
    const Extent others = lu_.schedule.panel_piece(step, lu_.here.row, layer);
    counts.push_back(static_cast<std::size_t>(others.length() * step.width()));
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      const T* const column = lu_.parts.column(j);
      lu_.packed.insert(lu_.packed.end(), column + others.begin, column + others.end);
    }
  }
  reduce_scatterv(lu_.grid.line, lu_.packed, lu_.piece, counts, Reduction::Kind::sum);
  return sum;
}

/// Rows of the diagonal block that did not become pivots go to the places of the pivots' rows.
template <MatrixElement T>
void PanelStage<T>::exchange_rows_within(const PanelStep& step, const Extent& rows,
                                         LocalView<T> piece,
                                         std::span<const std::int64_t> pivot_rows) {
  std::vector<RowMove> displaced;
  const Interchange interchange(step.begin, pivot_rows);
  for (const RowMove& move : interchange.moves()) {
    if (move.to >= step.end) displaced.push_back(move);
  }
  const auto owner = [&](std::int64_t row) {
    const int grid_row = lu_.grid_row_of(row);
    const std::int64_t local = lu_.local_row(row);
    int layer = 0;
    while (local >= lu_.schedule.panel_piece(step, grid_row, layer).end) ++layer;
    return layer * lu_.schedule.rows() + grid_row;
  };
  const auto place = [&](std::int64_t row) {
    return piece.data + (lu_.local_row(row) - rows.begin);
  };
  exchange_rows<T>(
      lu_.grid.column_plane, displaced, step.width(), owner,
      [&](std::int64_t row) {
        return RowView<const T>{place(row), piece.leading_dimension};
      },
      [&](std::int64_t row) {
        return RowView<T>{place(row), piece.leading_dimension};
      });
}

/// Every layer gets its slice of L's columns, for all rows of its grid row. Its part of the matrix
/// has the slice and zeros beside it; layer 0 also keeps the diagonal block.
template <MatrixElement T>
void PanelStage<T>::give_to_layers(const PanelStep& step, LocalView<T> piece,
                                   const PanelFactors<T>& factors, TravellingPanel<T>& panel) {
  const Extent rows = lu_.schedule.panel_rows(step, lu_.here.row);
  const Extent columns = lu_.schedule.step_columns(step), slice = lu_.slice(step);
  const LocalView<T> stored = part(lu_.parts, rows, columns);
  if (lu_.has_layers()) {
    scale(T(0), stored);
    std::vector<std::size_t> send, receive;
    for (int layer = 0; layer < lu_.schedule.layers(); ++layer) {
      send.push_back(
          static_cast<std::size_t>(piece.rows * lu_.schedule.slice(step, layer).length()));
      receive.push_back(static_cast<std::size_t>(
          lu_.schedule.panel_piece(step, lu_.here.row, layer).length() * slice.length()));
    }
    lu_.packed.resize(std::accumulate(receive.begin(), receive.end(), std::size_t{0}));
    alltoallv(lu_.grid.line, lu_.piece, {send}, lu_.packed, {receive});
    const T* next = lu_.packed.data();
    for (int layer = 0; layer < lu_.schedule.layers(); ++layer) {
      const Extent others = lu_.schedule.panel_piece(step, lu_.here.row, layer);
      const LocalView<const T> came = dense_view(next, others.length(), slice.length());
      copy<T>(came, stored.block(others.begin - rows.begin, slice.begin, others.length(),
                                 slice.length()));
      next += others.length() * slice.length();
    }
  }
  if (lu_.in_row(step)) {
    const LocalView<T> diagonal = stored.block(0, 0, step.width(), step.width());
    if (lu_.here.layer == 0) {
      copy<T>(factors.block(), diagonal);
    } else {
      scale(T(0), diagonal);
    }
  }
  const Extent below = lu_.schedule.rows_below(step, lu_.here.row);
  const LocalView<T> sent = resized(panel.below, below.length(), slice.length());
  copy<T>(stored.block(below.begin - rows.begin, slice.begin, sent.rows, sent.columns), sent);
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(PanelStage);

}  // namespace cuboid::detail
