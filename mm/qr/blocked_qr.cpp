#include "mm/qr/blocked_qr.hpp"

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/qr/apply_reflectors.hpp"
#include "mm/qr/qr_panel.hpp"
#include "mm/qr/qr_tree.hpp"
#include "mm/qr/travelling_reflectors.hpp"

#include <complex>
#include <cstdint>

namespace cuboid::detail {

namespace {

template <MatrixElement T>
void factorise_panel(QrContext<T>& qr, const PanelStep& step, TravellingReflectors<T>& to) {
  const QrMeter<T> meter(qr, &QrSeconds::panel, &QrCommunication::panel);
  const PanelSchedule& schedule = qr.schedule;
  const QrTree tree(schedule.m() - step.begin, step.width(), schedule.block(), schedule.rows());
  factorise_qr_panel<T>(qr.grid.column(), tree, step.row,
                        {qr.panel(step), to.vectors(), to.factor()}, qr.kernels);
  copy<T>(to.factor(), qr.block_factor(step));
}

template <MatrixElement T>
void note_taus(LocalView<const T> factor, std::vector<T>& taus) {
  for (std::int64_t k = 0; k < factor.columns; ++k) taus.push_back(factor(k, k));
}

}  // namespace

template <MatrixElement T>
void factorise_blocks(QrContext<T>& qr) {
  const std::int64_t steps = qr.schedule.steps();
  ReflectorStream<T> stream(qr);
  ReflectorUpdate<T> update(qr);
  const auto send = [&](const PanelStep& step) {
    stream.send(step, [&](TravellingReflectors<T>& to) { factorise_panel(qr, step, to); });
  };
  if (steps > 0) send(qr.schedule.step(0));
  for (std::int64_t index = 0; index < steps; ++index) {
    const PanelStep step = qr.schedule.step(index);
    TravellingReflectors<T>& reflectors = stream.take(step);
    note_taus<T>(reflectors.factor(), qr.outcome.taus);
    const Extent rows = qr.rows_left(step), right = qr.schedule.columns_right(step, qr.here.column);
    const auto update_columns = [&](std::int64_t begin, std::int64_t end) {
      update.apply(reflectors, Op::conjugate_transpose,
                   qr.parts.block(rows.begin, begin, rows.length(), end - begin), stream);
    };
    std::int64_t rest = right.begin;
    if (index + 1 < steps) {
      const PanelStep next = qr.schedule.step(index + 1);
      if (qr.in_column(next)) rest += next.width();
      update_columns(right.begin, rest);
      send(next);
    }
    update_columns(rest, right.end);
  }
}

#define CUBOID_INSTANTIATE(T) template void factorise_blocks(QrContext<T>&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
