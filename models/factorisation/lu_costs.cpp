#include "models/factorisation/lu_costs.hpp"

#include "models/factorisation/lu_step_sizes.hpp"
#include "models/messages/tree_steps.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

CommunicationCost operator*(double times, const CommunicationCost& one) {
  return {times * one.words, times * one.messages};
}

CommunicationCost& operator+=(CommunicationCost& sum, const CommunicationCost& one) {
  sum.words += one.words;
  sum.messages += one.messages;
  return sum;
}

/// The messages one after the other in each part of a step.
LuStepWords messages_of_step(const PanelSchedule& schedule, LuPivotCost pivots) {
  const double down = schedule.rows(), across = schedule.columns(), layers = schedule.layers();
  const double among_layers = 2 * (layers - 1);
  const bool exchanges = pivots != LuPivotCost::none && down > 1;
  return {among_layers + steps_of_tree(down * layers), steps_of_tree(across) + steps_of_tree(down),
          among_layers + (exchanges ? 2 : 0), exchanges ? down - 1 : 0};
}

}  // namespace

CommunicationCost LuCommunication::total() const {
  CommunicationCost sum = panel;
  for (const CommunicationCost& one : {multicast, rows, interchange}) sum += one;
  return sum;
}

LuCommunication lu_communication(const PanelSchedule& schedule, LuPivotCost pivots,
                                 std::size_t element_bytes) {
  const LuStepWords messages = messages_of_step(schedule, pivots);
  const double ranks =
      static_cast<double>(schedule.rows()) * schedule.columns() * schedule.layers();
  LuCommunication sum;
  schedule.visit_steps([&](const PanelStep& step, double times) {
    const LuStepSizes size(schedule, step, pivots);
    const LuStepWords words = words_of_step(schedule, size, pivots, element_bytes);
    const bool partial = pivots == LuPivotCost::partial;
    using Cost = CommunicationCost;
    sum.panel += times * Cost{words.panel / ranks, messages.panel * (partial ? size.width : 1)};
    sum.multicast += times * Cost{words.multicast / ranks, messages.multicast};
    sum.rows += times * Cost{words.rows / ranks, messages.rows};
    sum.interchange += times * Cost{words.interchange / ranks, messages.interchange};
  });
  return sum;
}

double lu_memory(const PanelSchedule& schedule) {
  const double rows = static_cast<double>(schedule.local_rows(0));
  const double columns = static_cast<double>(schedule.local_columns(0));
  const double layers = schedule.layers();
  const double block =
      static_cast<double>(std::min({schedule.block(), schedule.m(), schedule.n()}));
  // With several layers, a rank first brings a share of the matrix, from which its layer takes its
  // part.
  const double share = layers > 1 ? rows * columns / layers : 0;
  // Four panels: arriving, in use, being factorised, packed. Three block rows: the same without
  // being factorised. The local gemm and the triangular solve pack some columns of the block row
  // once more each.
  constexpr double packed_columns = 4096;
  const double packed = 2 * std::min(columns, packed_columns) * block;
  return rows * columns + share + (4 * rows + 3 * columns + 4 * block) * block + packed;
}

}  // namespace cuboid::detail
