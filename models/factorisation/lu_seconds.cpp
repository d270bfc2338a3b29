#include "models/factorisation/lu_seconds.hpp"

#include "models/factorisation/lu_cables.hpp"
#include "models/factorisation/lu_step_sizes.hpp"
#include "models/messages/tree_steps.hpp"
#include "models/messages/usual_parameters.hpp"
#include "models/multiplication/overlap.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

/// Seconds of a rank's core for the collectives of a step, averaged over the steps: those that find
/// pivots and exchange rows, the multicasts, and four among the layers.
double collective_seconds(const PanelSchedule& schedule, LuPivotCost pivots, const LuRates& rates) {
  const double panel_share = 1.0 / schedule.columns(), row_share = 1.0 / schedule.rows();
  const bool pivoting = pivots != LuPivotCost::none;
  double seconds = 0;
  const auto add = [&](double collectives, double members) {
    seconds += core_seconds_of_collectives(collectives, members, rates);
  };
  add((pivoting ? 3 : 1) * panel_share, schedule.rows() * schedule.layers());
  add((pivoting ? 2 : 1) + row_share, schedule.columns());
  add((pivoting ? 2 : 0) + 1 + panel_share, schedule.rows());
  add(2 * panel_share + 1 + row_share, schedule.layers());
  return seconds;
}

/// Seconds that the ranks concerned compute in a step.
struct StepComputing {
  double factorising, solving, update;

  StepComputing(const PanelSchedule& schedule, const LuStepSizes& size, LuPivotCost pivots,
                const LuRates& rates) {
    const double w = size.width, layers = schedule.layers();
    const double my_left = size.left / schedule.rows(), my_right = size.right / schedule.columns();
    const auto compute = [&](double multiplications, double rate) {
      return multiply_seconds(multiplications, rates) / rate;
    };
    const auto move = [&](double elements) { return moved(elements, rates); };
    // In a tournament a rank factorises its own rows twice, in copies, and candidates that meet
    // also twice. A rank alone needs no tournament.
    const double levels = steps_of_tree(schedule.rows() * layers);
    const bool tournament = pivots == LuPivotCost::tournament && levels > 0;
    const double piece = my_left * w / layers;
    factorising = compute((tournament ? 2 : 1) * piece * w / 2, usual_kernels.lu_panel) +
                  move((tournament ? 3 : 1) * piece);
    if (tournament)
      factorising += levels * (compute(w * w * w, usual_kernels.lu_panel) + move(4 * w * w));
    const double row = w * my_right / layers;
    solving = compute(row * w / 2, usual_kernels.triangular_solve) + move(2 * row);
    update = compute(
        size.below / schedule.rows() * my_right * (w / layers + usual_kernels.further_depth), 1);
  }
};

}  // namespace

LuSecondsEstimate lu_seconds(const PanelSchedule& schedule, LuPivotCost pivots,
                             const LuRates& rates) {
  LuSecondsEstimate sum;
  LuCables cables(schedule, pivots, rates);
  const double ranks =
      static_cast<double>(schedule.rows()) * schedule.columns() * schedule.layers();
  const double collectives = collective_seconds(schedule, pivots, rates);
  schedule.visit_steps([&](const PanelStep& at, double times) {
    const LuStepSizes size(schedule, at, pivots);
    const StepComputing computing(schedule, size, pivots, rates);
    const double panel = cables.sum_panel(size) + cables.choose(size);
    const double lower = cables.send_lower(size, size.width * size.width);
    const double rows = cables.exchange_rows(size);
    const double upper = cables.send_upper(size);

    // The part of the panel and of its multicast that does not overlap with U's multicast and the
    // update.
    const double factorised = panel + computing.factorising, ahead = factorised + lower;
    const double seen = std::max(factorised / schedule.columns(), ahead - upper - computing.update);
    if (ahead > 0) {
      sum.panel += times * seen * factorised / ahead;
      sum.multicast += times * seen * lower / ahead;
    }
    sum.rows += times * (rows + computing.solving);
    sum.multicast += times * upper;
    sum.update += times * computing.update;
    sum.collectives += times * collectives;
    sum.interchange += times * cables.interchange(size);

    const double path = rows + computing.solving + upper + computing.update + seen + collectives;
    const double bytes = words_of_step(schedule, size, pivots, rates.element_bytes).total() /
                         ranks * static_cast<double>(rates.element_bytes);
    const double cores =
        rates.ranks_per_core * (computing.update + computing.solving / schedule.rows() +
                                computing.factorising / schedule.columns() + collectives +
                                bytes * rates.core_seconds_per_byte);
    const double carried = rows + std::max(upper, panel + lower);
    const double at_best = std::max(path, cores);
    const double step =
        partly_overlapped({std::max(at_best, carried + cores), at_best}, rates.overlap);
    sum.cores += times * (step - path);
    cables.pass(step);
  });
  return sum;
}

}  // namespace cuboid::detail
