#include "mm/lu/layered_lu.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/request.hpp>

#include "mm/local/gemm_in_strips.hpp"
#include "mm/lu/later_interchanges.hpp"
#include "mm/lu/lu_context.hpp"
#include "mm/lu/panel_stage.hpp"
#include "mm/lu/row_stage.hpp"
#include "mm/matrix/element_types.hpp"

#include <complex>
#include <cstddef>
#include <span>
#include <utility>

namespace cuboid::detail {

namespace {

/// The multiplications in a rank's updates.
double lu_multiplications(const PanelSchedule& schedule, const LayeredPosition& here) {
  double sum = 0;
  schedule.visit_steps([&](const PanelStep& step, double times) {
    sum += times * static_cast<double>(schedule.rows_below(step, here.row).length()) *
           static_cast<double>(schedule.columns_right(step, here.column).length()) *
           static_cast<double>(schedule.slice(step, here.layer).length());
  });
  return sum;
}

/// One rank's factorisation: the loop over the steps, and step B, in which L and U travel and the
/// rest of the matrix is updated.
template <MatrixElement T>
class LayeredLu {
 public:
  explicit LayeredLu(LuContext<T> lu) : lu_(std::move(lu)) {}

  LuOutcome run() {
    const std::int64_t steps = lu_.schedule.steps();
    if (steps > 0) panels_.send(lu_.schedule.step(0));
    for (std::int64_t index = 0; index < steps; ++index) {
      const PanelStep step = lu_.schedule.step(index);
      const bool last = index + 1 == steps;
      TravellingPanel<T>& panel = panels_.panel_of(step);
      rows_.take_pivots(step, panel);
      LocalView<T> upper = rows_.solve(step, panel);
      const std::int64_t ahead = last ? 0 : columns_ahead(lu_.schedule.step(index + 1));
      start_rows(step, upper, ahead);
      take_panel(step, upper);
      update(step, upper, {0, ahead}, ahead_comes_);
      if (!last) panels_.start_fetch(lu_.schedule.step(index + 1));
      // A device multiplies while the cores factorise the next panel; the cores do so in turns.
      const bool device = lu_.resident.on_device();
      if (device) update(step, upper, {ahead, upper.columns}, rest_comes_);
      if (!last) panels_.send(lu_.schedule.step(index + 1));
      if (!device) update(step, upper, {ahead, upper.columns}, rest_comes_);
    }
    order_rows_of_lower();
    return std::move(lu_.outcome);
  }

 private:
  /// The number of columns right of the panel that belong to the next panel.
  std::int64_t columns_ahead(const PanelStep& next) const {
    return lu_.in_column(next) ? next.width() : 0;
  }

  /// Starts the block row down the grid's columns; the part for the next panel goes first.
  void start_rows(const PanelStep& step, LocalView<T> upper, std::int64_t ahead) {
    const StepMeter<T> meter(lu_, &LuSeconds::multicast, &LuCommunication::multicast);
    const std::int64_t rest = upper.columns - ahead;
    const auto start = [&](std::int64_t column, std::int64_t columns) {
      if (upper.rows == 0 || columns == 0) return Request();
      return start_broadcast(
          lu_.grid.column,
          std::span(upper.column(column), static_cast<std::size_t>(upper.rows * columns)),
          step.row);
    };
    ahead_comes_ = start(0, ahead);
    rest_comes_ = start(ahead, rest);
  }

  void take_panel(const PanelStep& step, LocalView<T> upper) {
    const StepMeter<T> meter(lu_, &LuSeconds::multicast, &LuCommunication::multicast);
    panels_.panel_of(step).below_comes.wait();
    const auto progress = [&] { rows_travel(); };
    if (lu_.resident.on_device())
      lu_.resident.start_update(lower(step), upper, GemmProgress(progress));
  }

  /// This rank's slice of L, for the local rows below the diagonal block.
  LocalView<const T> lower(const PanelStep& step) {
    return dense_view<const T>(panels_.panel_of(step).below.data(),
                               lu_.schedule.rows_below(step, lu_.here.row).length(),
                               lu_.slice(step).length());
  }
  bool rows_travel() { return !ahead_comes_.test() || !rest_comes_.test(); }

  /// Subtracts L·U from some of the columns right of the panel, once `upper` has arrived there.
  void update(const PanelStep& step, LocalView<T> upper, const Extent& columns,
              Request& upper_comes) {
    {
      const StepMeter<T> meter(lu_, &LuSeconds::multicast, &LuCommunication::multicast);
      upper_comes.wait();
    }
    const Extent below = lu_.schedule.rows_below(step, lu_.here.row);
    if (below.length() == 0 || columns.length() == 0 || upper.rows == 0) return;
    const StepMeter<T> meter(lu_, &LuSeconds::update, &LuCommunication::multicast);
    const std::int64_t right = lu_.schedule.columns_right(step, lu_.here.column).begin;
    const LocalView<T> updated =
        part(lu_.parts, below, {right + columns.begin, right + columns.end});
    const LocalView<const T> left = lower(step);
    const LocalView<const T> top = upper.block(0, columns.begin, upper.rows, columns.length());
    if (lu_.resident.on_device()) {
      const auto progress = [&] { rows_travel(); };
      lu_.resident.take_upper(top, GemmProgress(progress));
      return lu_.resident.subtract(left, top, updated);
    }
    gemm_in_strips(T(-1), Panel<T>{left.data, left.leading_dimension},
                   Panel<T>{top.data, top.leading_dimension}, upper.rows, T(1), updated,
                   lu_.kernels.gemm,
                   [&] { return panels_.next_in_flight(step) || !rest_comes_.test(); });
  }

  /// Applies the interchanges of later steps to earlier columns of L, all at once.
  void order_rows_of_lower() {
    if (!lu_.pivots()) return;
    const StepMeter<T> meter(lu_, &LuSeconds::interchange, &LuCommunication::interchange);
    apply_later_interchanges(lu_.grid, lu_.schedule, lu_.outcome.swaps, lu_.parts);
  }

  LuContext<T> lu_;
  PanelStage<T> panels_{lu_};
  RowStage<T> rows_{lu_};
  Request ahead_comes_, rest_comes_;
};

}  // namespace

template <MatrixElement T>
LuOutcome factorise_in_layers(const LuGrid& grid, const PanelSchedule& schedule,
                              const LuMethod& method, LocalView<T> parts,
                              const LocalKernels& kernels) {
  const FactorisationWork work{schedule.block(), lu_multiplications(schedule, *grid.here), true};
  return LayeredLu<T>({grid, schedule, method, *grid.here, parts, kernels,
                       ResidentMatrix<T>(kernels.gemm, parts, work)})
      .run();
}

#define CUBOID_FOR(T)                                                                          \
  template LuOutcome factorise_in_layers(const LuGrid&, const PanelSchedule&, const LuMethod&, \
                                         LocalView<T>, const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
