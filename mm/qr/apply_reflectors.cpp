#include "mm/qr/apply_reflectors.hpp"

#include <cuboid/collectives.hpp>

#include "mm/local/gemm_in_strips.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/qr/block_reflector.hpp"

#include <complex>

namespace cuboid::detail {

namespace {

/// Copies V of a panel from the matrix that a factorisation has left.
template <MatrixElement T>
void copy_vectors(const QrContext<T>& qr, const PanelStep& step, LocalView<T> to) {
  if (qr.here.row == step.row) {
    copy_unit_lower<T>(qr.panel(step), to);
  } else {
    copy<T>(qr.panel(step), to);
  }
}

template <MatrixElement T>
void copy_stored(const QrContext<T>& qr, const PanelStep& step, TravellingReflectors<T>& to) {
  copy_vectors(qr, step, to.vectors());
  copy<T>(qr.block_factor(step), to.factor());
}

}  // namespace

template <MatrixElement T>
void ReflectorUpdate<T>::apply(TravellingReflectors<T>& reflectors, Op op, LocalView<T> C,
                               const ReflectorStream<T>& stream) {
  if (C.columns == 0) return;
  const LocalView<const T> V = reflectors.vectors(), factor = reflectors.factor();
  const LocalGemm& gemm = qr_.kernels.gemm;
  const auto progress = [&stream] { return stream.in_flight(); };
  sums_.resize(V.columns, C.columns);
  turned_.resize(V.columns, C.columns);
  {
    const QrMeter<T> meter(qr_, &QrSeconds::update, &QrCommunication::multicast);
    gemm_in_strips(T(1), Panel<T>{V.data, V.leading_dimension, Op::conjugate_transpose},
                   Panel<T>{C.data, C.leading_dimension}, V.rows, T(0), sums_.view(), gemm,
                   progress);
  }
  {
    const QrMeter<T> meter(qr_, &QrSeconds::sums, &QrCommunication::sums);
    allreduce(qr_.grid.column(), sums_.elements(), sums_.elements(), Reduction::Kind::sum);
  }
  const QrMeter<T> meter(qr_, &QrSeconds::update, &QrCommunication::multicast);
  multiply_views<T>(gemm, T(1), op, factor, sums_.view(), T(0), turned_.view());
  gemm_in_strips(T(-1), Panel<T>{V.data, V.leading_dimension},
                 Panel<T>{turned_.view().data, turned_.view().leading_dimension}, V.columns, T(1),
                 C, gemm, progress);
}

template <MatrixElement T>
void form_block_factors(QrContext<T>& qr, std::span<const T> taus) {
  DenseMatrix<T> vectors, products;
  for (std::int64_t index = 0; index < qr.schedule.steps(); ++index) {
    const PanelStep step = qr.schedule.step(index);
    if (!qr.in_column(step)) continue;
    vectors.resize(qr.rows_left(step).length(), step.width());
    products.resize(step.width(), step.width());
    copy_vectors(qr, step, vectors.view());
    multiply_views<T>(qr.kernels.gemm, T(1), Op::conjugate_transpose, vectors.view(),
                      vectors.view(), T(0), products.view());
    allreduce(qr.grid.column(), products.elements(), products.elements(), Reduction::Kind::sum);
    const LocalView<T> factor = qr.block_factor(step);
    for (std::int64_t k = 0; k < step.width(); ++k)
      factor(k, k) = taus[static_cast<std::size_t>(step.begin + k)];
    form_block_factor<T>(products.view(), factor);
  }
}

template <MatrixElement T>
void apply_reflectors(QrContext<T>& qr, Op op, LocalView<T> C,
                      const std::function<std::int64_t(const PanelStep&)>& first_column) {
  // Q is the product of the panels' reflectors, the first leftmost.
  const std::int64_t steps = qr.schedule.steps();
  const auto step_at = [&](std::int64_t position) {
    return qr.schedule.step(op == Op::none ? steps - 1 - position : position);
  };
  ReflectorStream<T> stream(qr);
  ReflectorUpdate<T> update(qr);
  const auto send = [&](std::int64_t position) {
    const PanelStep step = step_at(position);
    stream.send(step, [&](TravellingReflectors<T>& to) { copy_stored(qr, step, to); });
  };
  if (steps > 0) send(0);
  for (std::int64_t position = 0; position < steps; ++position) {
    const PanelStep step = step_at(position);
    TravellingReflectors<T>& reflectors = stream.take(step);
    if (position + 1 < steps) send(position + 1);
    const Extent rows = qr.rows_left(step);
    const std::int64_t first = first_column(step);
    update.apply(reflectors, op, C.block(rows.begin, first, rows.length(), C.columns - first),
                 stream);
  }
}

#define CUBOID_INSTANTIATE(T)                                          \
  template class ReflectorUpdate<T>;                                   \
  template void form_block_factors(QrContext<T>&, std::span<const T>); \
  template void apply_reflectors(QrContext<T>&, Op, LocalView<T>,      \
                                 const std::function<std::int64_t(const PanelStep&)>&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
