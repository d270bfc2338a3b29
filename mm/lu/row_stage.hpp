#pragma once

#include <cuboid/matrix.hpp>

#include "mm/lu/interchange.hpp"
#include "mm/lu/lu_context.hpp"
#include "mm/lu/panel_stage.hpp"

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// Step C of Solomonik et al. 2011, figure 3, for the block row: the rows that the
/// panel's pivots exchange are summed over the layers, exchanged and solved for.
template <MatrixElement T>
class RowStage {
 public:
  explicit RowStage(LuContext<T>& lu) : lu_(lu) {}

  /// Waits for the pivots and the diagonal block, and finds the rows that the step exchanges.
  void take_pivots(const PanelStep& step, TravellingPanel<T>& panel);

  /// Sums the rows that the step exchanges over the layers, exchanges them, and solves for the
  /// block row of U. Returns this layer's slice of it, which only the block row's ranks have so
  /// far.
  LocalView<T> solve(const PanelStep& step, TravellingPanel<T>& panel);

 private:
  void take_rows(const Extent& right, const Extent& piece, GemmProgress progress);
  void put_rows(const PanelStep& step, const Extent& right, GemmProgress progress);
  void exchange(const PanelStep& step, const Extent& piece, LocalView<T> solved);
  void give_to_layers(const PanelStep& step, LocalView<T> solved, LocalView<T> upper);

  /// True if rows are exchanged where they are in the matrix.
  bool in_place() const { return !lu_.has_layers() && !lu_.resident.on_device(); }
  LocalView<T> columns(const Extent& some) const {
    return lu_.parts.block(0, some.begin, lu_.parts.rows, some.length());
  }

  LuContext<T>& lu_;
  Interchange interchange_;
  /// This rank's exchanged rows and their local numbers; empty if rows are exchanged in place.
  std::vector<std::int64_t> involved_, locals_;
  AlignedVector<T> summed_;    ///< these rows before the exchange
  AlignedVector<T> returned_;  ///< and after it, for all columns right of the panel
  AlignedVector<T> upper_;
};

}  // namespace cuboid::detail
