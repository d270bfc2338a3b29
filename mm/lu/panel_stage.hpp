#pragma once

#include <cuboid/matrix.hpp>
#include <cuboid/request.hpp>

#include "mm/lu/lu_context.hpp"
#include "mm/lu/panel.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A panel that travels from its grid column to all others.
template <MatrixElement T>
struct TravellingPanel {
  std::vector<std::int64_t> pivot_rows;
  std::vector<T> diagonal;  ///< L and U of the diagonal block, on its grid row only
  AlignedVector<T> below;   ///< this layer's slice of L, below the diagonal block
  Request pivots_come, diagonal_comes, below_comes;

  bool in_flight() { return !below_comes.test() || !diagonal_comes.test() || !pivots_come.test(); }
};

/// Step A of Solomonik et al. 2011, figure 3: the panel is summed over the layers and
/// factorised by its grid column, and travels along the grid's rows.
template <MatrixElement T>
class PanelStage {
 public:
  explicit PanelStage(LuContext<T>& lu) : lu_(lu) {}

  /// Starts to fetch the panel from the device, if it is there. Its columns must be updated.
  void start_fetch(const PanelStep& step);
  /// The panel's grid column factorises it, and starts to send it along the grid's rows, where the
  /// others start to receive it.
  void send(const PanelStep& step);
  /// The panel of a step. The next step's panel may travel at the same time.
  TravellingPanel<T>& panel_of(const PanelStep& step) { return panels_[step.index % 2]; }
  /// True if the panel of the next step travels.
  bool next_in_flight(const PanelStep& step) { return panels_[(step.index + 1) % 2].in_flight(); }

 private:
  void factorise(const PanelStep& step, TravellingPanel<T>& panel);
  PanelFactors<T> factorise_piece(const PanelStep& step, const LuPanelPiece<T>& piece);
  LocalView<T> sum_over_layers(const PanelStep& step, const Extent& rows);
  void exchange_rows_within(const PanelStep& step, const Extent& rows, LocalView<T> piece,
                            std::span<const std::int64_t> pivot_rows);
  void give_to_layers(const PanelStep& step, LocalView<T> piece, const PanelFactors<T>& factors,
                      TravellingPanel<T>& panel);

  LuContext<T>& lu_;
  std::array<TravellingPanel<T>, 2> panels_;
};

}  // namespace cuboid::detail
