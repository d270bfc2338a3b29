#include "models/factorisation/cholesky_costs.hpp"

#include "models/factorisation/lu_cables.hpp"
#include "models/factorisation/lu_step_sizes.hpp"
#include "models/messages/tree_steps.hpp"
#include "models/messages/usual_parameters.hpp"
#include "models/multiplication/overlap.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

namespace {

double ranks_of(const PanelSchedule& blocks) {
  return static_cast<double>(blocks.rows()) * blocks.columns() * blocks.layers();
}

/// The words that all ranks send in a step.
LuStepWords cholesky_words_of_step(const PanelSchedule& blocks, const LuStepSizes& size) {
  const double down = blocks.rows(), across = blocks.columns(), layers = blocks.layers();
  const double others = layers - 1, panel = size.left * size.width;
  const double diagonal = (down * layers - 1) * size.width * size.width;
  const double lower = size.width * size.below * (across - 1);
  const double transposed = size.width * size.below * (down - 1);
  return {others * panel + others / layers * panel + diagonal, lower + transposed, 0, 0};
}

/// Seconds of a rank's core for the collectives of a step, averaged over the steps: those of the
/// diagonal block and among the layers on the panel's ranks, and the multicasts.
double collective_seconds(const CholeskySchedule& schedule, const LuRates& rates) {
  const PanelSchedule& blocks = schedule.blocks();
  const double panel_share = 1.0 / blocks.columns();
  const auto senders = static_cast<double>(schedule.senders(0).size());
  return core_seconds_of_collectives(panel_share, blocks.rows() * blocks.layers(), rates) +
         core_seconds_of_collectives(1, blocks.columns(), rates) +
         core_seconds_of_collectives(senders, blocks.rows(), rates) +
         core_seconds_of_collectives(2 * panel_share, blocks.layers(), rates);
}

/// Seconds that the ranks concerned compute in a step.
struct CholeskyStepComputing {
  double factorising, update;

  CholeskyStepComputing(const PanelSchedule& blocks, const LuStepSizes& size,
                        const LuRates& rates) {
    const double w = size.width, layers = blocks.layers();
    const double my_below = size.below / blocks.rows(), my_right = size.below / blocks.columns();
    const double piece = size.left / blocks.rows() * w / layers;
    factorising =
        multiply_seconds(piece * w / 2, rates) / usual_kernels.lu_panel + moved(piece, rates);
    // Updated: the lower half and the triangles that are covered whole; and the panel is
    // transposed.
    const bool of_one_block = 2 * w > CholeskySchedule::narrow;
    const double above = of_one_block ? w : CholeskySchedule::narrow * blocks.columns();
    const double triangles = std::min(my_right * above / blocks.rows(), my_below * my_right);
    const double elements = (my_below * my_right + triangles) / 2;
    update = multiply_seconds(elements * (w / layers + usual_kernels.further_depth), rates) +
             moved(2 * w / layers * my_right, rates);
  }
};

/// The prediction from the steps that visit_steps visits, by a function of a step and of how many
/// steps it stands for.
template <class VisitSteps>
LuSecondsEstimate seconds_of_steps(const CholeskySchedule& schedule, const LuRates& rates,
                                   const VisitSteps& visit_steps) {
  const PanelSchedule& blocks = schedule.blocks();
  const double collectives = collective_seconds(schedule, rates);
  LuCables cables(blocks, LuPivotCost::none, rates);
  LuSecondsEstimate sum;
  visit_steps([&](const PanelStep& at, double times) {
    const LuStepSizes size(blocks, at, LuPivotCost::none);
    const CholeskyStepComputing computing(blocks, size, rates);
    const double panel = cables.sum_panel(size) + cables.choose(size);
    const double multicasts = cables.send_lower(size, 0) + cables.send_upper(size);

    // The part of the panel and of its multicasts that does not overlap with the update.
    const double factorised = panel + computing.factorising, ahead = factorised + multicasts;
    const double seen = std::max(factorised / blocks.columns(), ahead - computing.update);
    if (ahead > 0) {
      sum.panel += times * seen * factorised / ahead;
      sum.multicast += times * seen * multicasts / ahead;
    }
    sum.update += times * computing.update;
    sum.collectives += times * collectives;

    const double path = computing.update + seen + collectives;
    const double bytes = cholesky_words_of_step(blocks, size).total() / ranks_of(blocks) *
                         static_cast<double>(rates.element_bytes);
    const double cores =
        rates.ranks_per_core * (computing.update + computing.factorising / blocks.columns() +
                                collectives + bytes * rates.core_seconds_per_byte);
    const double at_best = std::max(path, cores);
    const double step =
        partly_overlapped({std::max(at_best, panel + multicasts + cores), at_best}, rates.overlap);
    sum.cores += times * (step - path);
    cables.pass(step);
  });
  return sum;
}

}  // namespace

LuCommunication cholesky_communication(const CholeskySchedule& schedule) {
  const PanelSchedule& blocks = schedule.blocks();
  const double ranks = ranks_of(blocks), down = blocks.rows(), across = blocks.columns();
  const double panel = 2 * (blocks.layers() - 1) + steps_of_tree(down * blocks.layers());
  const double multicasts = steps_of_tree(across) + steps_of_tree(down);
  LuCommunication sum;
  blocks.visit_steps([&](const PanelStep& step, double times) {
    const LuStepWords words =
        cholesky_words_of_step(blocks, LuStepSizes(blocks, step, LuPivotCost::none));
    sum.panel.words += times * words.panel / ranks;
    sum.panel.messages += times * panel;
    sum.multicast.words += times * words.multicast / ranks;
    sum.multicast.messages += times * multicasts;
  });
  return sum;
}

LuSecondsEstimate cholesky_seconds(const CholeskySchedule& schedule, const LuRates& rates) {
  return seconds_of_steps(schedule, rates,
                          [&](const auto& visit) { schedule.blocks().visit_steps(visit); });
}

double cholesky_least_seconds(const CholeskySchedule& schedule, const LuRates& rates,
                              std::int64_t stretches) {
  if (rates.burst_bytes > 0) return 0;
  const auto visit_steps = [&](const auto& visit) {
    schedule.blocks().visit_last_steps(stretches, visit);
  };
  return seconds_of_steps(schedule, rates, visit_steps).total();
}

double cholesky_least_words(double n, double ranks, double memory) {
  return ranks == 1 ? 0 : n * n * n / (3 * ranks * std::sqrt(memory));
}

}  // namespace cuboid::detail
