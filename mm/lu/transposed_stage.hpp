#pragma once

#include <cuboid/matrix.hpp>
#include <cuboid/request.hpp>

#include "mm/lu/lu_context.hpp"
#include "models/factorisation/cholesky_schedule.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// Cholesky's step B down the grid's columns: the rows of L whose numbers are columns of a grid
/// column travel, transposed, from the ranks that have them to all ranks of that grid column.
template <MatrixElement T>
class TransposedStage {
 public:
  TransposedStage(LuContext<T>& lu, const CholeskySchedule& schedule);

  /// Starts to send or receive, once this rank has its rows of the panel. The step before may still
  /// be in flight. All ranks of a grid column start the same steps in the same order.
  /// @param below  this rank's slice of L below the diagonal block.
  void start(const PanelStep& step, LocalView<const T> below);
  bool has_started(const PanelStep& step) const { return started_ > step.index; }
  bool in_flight(const PanelStep& step);

  /// Waits, and returns Lᴴ: a column for each local column right of the panel. Its memory is valid
  /// until the step after the next starts.
  LocalView<T> take(const PanelStep& step);

 private:
  struct Travelling {
    AlignedVector<T> pieces;  ///< pieces of senders_, one after the other, column by column
    AlignedVector<T> in_order;
    std::vector<Request> come;
  };
  Travelling& travelling(const PanelStep& step) { return travelling_[step.index % 2]; }
  std::int64_t columns_of(const PanelStep& step, int sender) const {
    return schedule_.shared_columns(step, sender, lu_.here.column);
  }
  void pack(const PanelStep& step, LocalView<const T> below, LocalView<T> piece) const;

  LuContext<T>& lu_;
  const CholeskySchedule& schedule_;
  const std::vector<int> senders_;
  std::int64_t started_ = 0;
  std::array<Travelling, 2> travelling_;
};

}  // namespace cuboid::detail
