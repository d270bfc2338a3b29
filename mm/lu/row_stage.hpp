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
  LocalView<T> solve(const PanelStep& step, const std::vector<T>& diagonal);

 private:
  void sum_over_layers(const Extent& right, const Extent& piece);
  void exchange(const PanelStep& step, const Extent& piece, LocalView<T> solved);
  void give_to_layers(const PanelStep& step, LocalView<T> solved, LocalView<T> upper);

  LuContext<T>& lu_;
  Interchange interchange_;
  std::vector<std::int64_t> involved_;  ///< rows in `summed_`, if there are several layers
  std::vector<T> summed_, upper_;
};

}  // namespace cuboid::detail
