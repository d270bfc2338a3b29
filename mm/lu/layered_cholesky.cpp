#include "mm/lu/layered_cholesky.hpp"

#include "mm/local/gemm_in_strips.hpp"
#include "mm/lu/lu_context.hpp"
#include "mm/lu/panel_stage.hpp"
#include "mm/lu/transposed_stage.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <complex>
#include <cstddef>
#include <numeric>
#include <utility>

namespace cuboid::detail {

namespace {

/// The multiplications in a rank's updates.
double cholesky_multiplications(const CholeskySchedule& schedule, const LayeredPosition& here) {
  double sum = 0;
  const PanelSchedule& blocks = schedule.blocks();
  blocks.visit_steps([&](const PanelStep& step, double times) {
    const Extent right = blocks.columns_right(step, here.column);
    double elements = 0;
    for (const LocalRectangle& one : schedule.lower_rectangles(here.row, here.column, right))
      elements +=
          static_cast<double>(one.rows.length()) * static_cast<double>(one.columns.length());
    sum += times * elements * static_cast<double>(blocks.slice(step, here.layer).length());
  });
  return sum;
}

/// One rank's factorisation: the loop over the steps, and the updates of the lower triangle.
template <MatrixElement T>
class LayeredCholesky {
 public:
  LayeredCholesky(const CholeskySchedule& schedule, LuContext<T> lu)
      : schedule_(schedule), lu_(std::move(lu)) {}

  LuOutcome run() {
    const std::int64_t steps = lu_.schedule.steps();
    if (steps > 0) panels_.send(lu_.schedule.step(0));
    for (std::int64_t index = 0; index + 1 < steps; ++index) {
      const PanelStep step = lu_.schedule.step(index), next = lu_.schedule.step(index + 1);
      const LocalView<T> upper = take_panel(step);
      store_upper(step, upper);
      const Extent right = lu_.schedule.columns_right(step, lu_.here.column);
      const std::int64_t ahead = right.begin + (lu_.in_column(next) ? next.width() : 0);
      update(step, upper, {right.begin, ahead}, [] { return false; });
      panels_.start_fetch(next);
      // As in LU, a device multiplies while the cores factorise.
      const bool device = lu_.resident.on_device();
      const auto rest = [&] {
        update(step, upper, {ahead, right.end}, [&] { return !device && forward(next); });
      };
      if (device) rest();
      panels_.send(next);
      if (!device) rest();
    }
    // No row is swapped.
    lu_.outcome.swaps.resize(static_cast<std::size_t>(lu_.schedule.n()));
    std::iota(lu_.outcome.swaps.begin(), lu_.outcome.swaps.end(), 0);
    return std::move(lu_.outcome);
  }

 private:
  /// This rank's slice of L, for the local rows below the diagonal block.
  LocalView<const T> lower(const PanelStep& step) {
    const std::int64_t rows = lu_.schedule.rows_below(step, lu_.here.row).length();
    return dense_view<const T>(panels_.panel_of(step).below.data(), rows, lu_.slice(step).length());
  }

  /// Sends the panel of a step down the grid's columns once it has arrived along the rows. Returns
  /// true if some of it still travels.
  bool forward(const PanelStep& step) {
    if (panels_.panel_of(step).in_flight()) return true;
    if (!transposed_.has_started(step)) transposed_.start(step, lower(step));
    return transposed_.in_flight(step);
  }

  LocalView<T> take_panel(const PanelStep& step) {
    const StepMeter<T> meter(lu_, &LuSeconds::multicast, &LuCommunication::multicast);
    panels_.panel_of(step).below_comes.wait();
    if (!transposed_.has_started(step)) transposed_.start(step, lower(step));
    const LocalView<T> upper = transposed_.take(step);
    if (lu_.resident.on_device()) {
      lu_.resident.start_update(lower(step), upper, {});
      lu_.resident.take_upper(upper, {});
    }
    return upper;
  }

  /// Stores the block row of Lᴴ: each layer has its slice, and zeros beside it.
  void store_upper(const PanelStep& step, LocalView<const T> upper) {
    if (!lu_.in_row(step)) return;
    const LocalView<T> stored = part(lu_.parts, lu_.schedule.step_rows(step),
                                     lu_.schedule.columns_right(step, lu_.here.column));
    if (lu_.has_layers()) scale(T(0), stored);
    copy<T>(upper, stored.block(lu_.slice(step).begin, 0, upper.rows, upper.columns));
  }

  /// Subtracts L·Lᴴ from the lower triangle of some local columns.
  template <class Progress>
  void update(const PanelStep& step, LocalView<T> upper, const Extent& columns,
              const Progress& progress) {
    const StepMeter<T> meter(lu_, &LuSeconds::update, &LuCommunication::multicast);
    if (upper.rows == 0) return;
    const LocalView<const T> lower_panel = lower(step);
    const std::int64_t below = lu_.schedule.rows_below(step, lu_.here.row).begin;
    const std::int64_t right = lu_.schedule.columns_right(step, lu_.here.column).begin;
    for (const LocalRectangle& one :
         schedule_.lower_rectangles(lu_.here.row, lu_.here.column, columns)) {
      const LocalView<const T> left =
          lower_panel.block(one.rows.begin - below, 0, one.rows.length(), upper.rows);
      const LocalView<const T> top =
          upper.block(0, one.columns.begin - right, upper.rows, one.columns.length());
      const LocalView<T> updated = part(lu_.parts, one.rows, one.columns);
      if (lu_.resident.on_device()) {
        lu_.resident.subtract(left, top, updated);
      } else {
        gemm_in_strips(T(-1), Panel<T>{left.data, left.leading_dimension},
                       Panel<T>{top.data, top.leading_dimension}, upper.rows, T(1), updated,
                       lu_.kernels.gemm, progress);
      }
    }
  }

  const CholeskySchedule& schedule_;
  LuContext<T> lu_;
  PanelStage<T> panels_{lu_};
  TransposedStage<T> transposed_{lu_, schedule_};
};

}  // namespace

template <MatrixElement T>
LuOutcome cholesky_in_layers(const LuGrid& grid, const CholeskySchedule& schedule,
                             LocalView<T> parts, const LocalKernels& kernels) {
  const LuMethod method{Pivoting::none, true};
  const FactorisationWork work{schedule.blocks().block(),
                               cholesky_multiplications(schedule, *grid.here), false};
  return LayeredCholesky<T>(schedule, {grid, schedule.blocks(), method, *grid.here, parts, kernels,
                                       ResidentMatrix<T>(kernels.gemm, parts, work)})
      .run();
}

#define CUBOID_FOR(T)                                                                         \
  template LuOutcome cholesky_in_layers(const LuGrid&, const CholeskySchedule&, LocalView<T>, \
                                        const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
