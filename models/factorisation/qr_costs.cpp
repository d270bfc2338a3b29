#include "models/factorisation/qr_costs.hpp"

#include "models/messages/tree_steps.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

QrStepSizes::QrStepSizes(const PanelSchedule& schedule, const PanelStep& step)
    : width(static_cast<double>(step.width())),
      left(static_cast<double>(schedule.m() - step.begin)),
      right(static_cast<double>(schedule.n() - step.end)),
      members(std::min(std::ceil(left / static_cast<double>(schedule.block())),
                       static_cast<double>(schedule.rows()))) {}

CommunicationCost QrCommunication::total() const {
  return {panel.words + multicast.words + sums.words,
          panel.messages + multicast.messages + sums.messages};
}

QrCommunication qr_step_communication(const PanelSchedule& schedule, const QrStepSizes& size) {
  const double down = schedule.rows(), across = schedule.columns(), w = size.width;
  const double triangle = w * (w + 1) / 2, others = size.members - 1;
  const bool by_tree = others > 0;
  const double levels = steps_of_tree(size.members);
  return {
      .panel = {others * (triangle + w * w) + (down - 1) * (by_tree ? 2 : 1) * triangle,
                2 * levels + steps_of_tree(down)},
      .multicast = {(across - 1) * (size.left * w + down * w * w), steps_of_tree(across)},
      .sums = {size.right > 0 ? 2 * (down - 1) * w * size.right : 0, 2 * steps_of_tree(down)},
  };
}

QrCommunication qr_communication(const PanelSchedule& schedule) {
  const double ranks = static_cast<double>(schedule.rows()) * schedule.columns();
  QrCommunication sum;
  schedule.visit_steps([&](const PanelStep& at, double times) {
    const QrCommunication step = qr_step_communication(schedule, QrStepSizes(schedule, at));
    const auto add = [&](CommunicationCost& to, const CommunicationCost& one) {
      to.words += times * one.words / ranks;
      to.messages += times * one.messages;
    };
    add(sum.panel, step.panel);
    add(sum.multicast, step.multicast);
    add(sum.sums, step.sums);
  });
  return sum;
}

double qr_memory(const PanelSchedule& schedule) {
  const double rows = static_cast<double>(schedule.local_rows(0));
  const double columns = static_cast<double>(schedule.local_columns(0));
  const double block =
      static_cast<double>(std::min({schedule.block(), schedule.m(), schedule.n()}));
  // Two panels travel, and two copies are being factorised; of the block row VᴴA and T·VᴴA are in
  // memory.
  return rows * columns + (4 * rows + 3 * columns + 8 * block) * block;
}

double qr_operations(double m, double n) {
  const double longer = std::max(m, n), shorter = std::min(m, n);
  return 2 * longer * shorter * shorter - 2.0 / 3 * shorter * shorter * shorter;
}

double qr_least_words(double m, double n, double ranks, double memory) {
  if (ranks == 1) return 0;
  const double multiplications = qr_operations(m, n) / 2;
  return std::max(0.0, multiplications / (ranks * std::sqrt(8 * memory)) - memory);
}

}  // namespace cuboid::detail
