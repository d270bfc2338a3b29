#include "models/factorisation/qr_seconds.hpp"

#include "models/messages/tree_steps.hpp"
#include "models/messages/usual_parameters.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

/// Seconds that a rank computes in a step.
struct QrStepComputing {
  double panel, update;

  QrStepComputing(const PanelSchedule& schedule, const QrStepSizes& size, const LuRates& rates) {
    const double w = size.width, my_rows = size.left / schedule.rows(),
                 my_right = size.right / schedule.columns();
    const auto compute = [&](double multiplications, double rate) {
      return multiplications / (rate * rates.multiplications_per_second);
    };
    const auto move = [&](double elements) {
      return elements * static_cast<double>(rates.element_bytes) * rates.seconds_per_byte_moved;
    };
    const double levels = steps_of_tree(size.members);
    panel = compute(my_rows * w * w, usual_kernels.qr_panel) + move(3 * my_rows * w);
    // V is multiplied out. On each level two triangles become one, and the thin Q of this comes
    // down.
    if (levels > 0) {
      panel +=
          compute(my_rows * w * w + w * w * w, 1) +
          levels * (compute(2 * w * w * w, usual_kernels.qr_panel) + compute(3 * w * w * w, 1));
    }
    update =
        compute(2 * my_rows * my_right * (w + usual_kernels.further_depth) + w * w * my_right, 1);
  }
};

double collective_seconds(const PanelSchedule& schedule, const LuRates& rates) {
  double seconds = 0;
  const auto add = [&](double collectives, double members) {
    if (members == 1) return;
    seconds += collectives * (rates.seconds_per_collective +
                              steps_of_tree(members) * rates.seconds_per_tree_step);
  };
  // The sums, a second time where the next panel's columns go first, and the panel's collectives.
  add(1 + 2.0 / schedule.columns(), schedule.rows());
  add(1, schedule.columns());
  return seconds;
}

}  // namespace

QrSecondsEstimate qr_seconds(const PanelSchedule& schedule, const LuRates& rates) {
  QrSecondsEstimate sum;
  const double down = schedule.rows(), across = schedule.columns();
  const double collectives = collective_seconds(schedule, rates);
  const auto carry = [&](const CommunicationCost& cost, double senders, double links) {
    const double bytes = cost.words / senders * static_cast<double>(rates.element_bytes);
    return cost.messages * rates.network.alpha + bytes * rates.network.beta / links;
  };
  schedule.visit_steps([&](const PanelStep& at, double times) {
    const QrStepSizes size(schedule, at);
    const QrStepComputing computing(schedule, size, rates);
    const QrCommunication sent = qr_step_communication(schedule, size);
    // Up and down the tree messages of the same length follow one another.
    const double tree = 3 * steps_of_tree(size.members) * size.width * size.width;
    const double panel =
        computing.panel + carry({tree, sent.panel.messages}, 1, rates.links.columns);
    const double multicast =
        across > 1 ? carry(sent.multicast, down * (across - 1), rates.links.rows) : 0;
    const double sums = down > 1 ? carry(sent.sums, down * across, rates.links.columns) : 0;
    const double ahead = panel + multicast;
    const double seen = ahead > 0 ? std::max(0.0, ahead - computing.update) / ahead : 0;
    const double path = sums + computing.update + seen * ahead + collectives;
    const double cores =
        rates.ranks_per_core *
        (computing.update + computing.panel / across + collectives +
         sent.total().words / (down * across) * static_cast<double>(rates.element_bytes) *
             rates.core_seconds_per_byte);
    sum.panel += times * seen * panel;
    sum.multicast += times * seen * multicast;
    sum.sums += times * sums;
    sum.update += times * computing.update;
    sum.collectives += times * collectives;
    sum.cores += times * std::max(0.0, cores - path);
  });
  return sum;
}

}  // namespace cuboid::detail
