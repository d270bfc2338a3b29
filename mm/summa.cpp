#include <cuboid/base/error.hpp>
#include <cuboid/mm/agreed.hpp>
#include <cuboid/mm/local_copy.hpp>
#include <cuboid/mm/panel_feed.hpp>
#include <cuboid/mm/panels.hpp>
#include <cuboid/mm/slabbed_gemm.hpp>
#include <cuboid/mm/stopwatch.hpp>
#include <cuboid/mm/summa.hpp>

#include <algorithm>
#include <complex>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

namespace {

/// The panels of all steps; the same on every rank.
std::vector<GlobalRange<Inner>> cut(const Layout& left, const PanelTarget& left_target,
                                    const Layout& right, const PanelTarget& right_target,
                                    std::int64_t panel_width) {
  std::vector<BlockCyclic<Inner>> with_owners;
  if (choose_delivery(left, left_target, panel_width) == Delivery::broadcast) {
    with_owners.push_back(left.columns().as<Inner>());
  }
  if (choose_delivery(right, right_target, panel_width) == Delivery::broadcast) {
    with_owners.push_back(right.columns().as<Inner>());
  }
  return cut_panels(left.n(), panel_width, with_owners);
}

}  // namespace

template <MatrixElement T>
PhaseSeconds summa(T alpha, Op op_a, const Matrix<T>& A, Op op_b, const Matrix<T>& B, T beta,
                   Matrix<T>& C, const ProcessGrid& grid, const LocalGemm& gemm,
                   std::int64_t panel_width) {
  if (C.layout().grid() != grid.shape()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("SUMMA: C is on a {} grid: give it a layout on the {} grid that "
                            "multiplies",
                            to_string(C.layout().grid()), to_string(grid.shape())));
  }
  if (panel_width < 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("SUMMA: panel width {}: give at least 1", panel_width));
  }
  const TallOperand<T> left = left_operand(op_a, A);
  const TallOperand<T> right = right_operand(op_b, B);
  const std::int64_t k = left.layout().n();
  PhaseSeconds seconds;
  if (k == 0 || alpha == T(0)) {
    scale(beta, C.local());
    return seconds;
  }

  const PanelTarget left_target{C.layout().rows(), grid.shape()};
  const PanelTarget right_target{C.layout().columns().template as<Row>(),
                                 grid.shape().transposed()};
  const std::int64_t width = std::min(panel_width, k);
  const auto [a, b] = agreed(grid.communicator(), [&] {
    return std::pair(make_panel_feed(left, left_target, grid.row(), width),
                     make_panel_feed(right, right_target, grid.column(), width));
  });
  const auto start = [&](std::int64_t step, GlobalRange<Inner> panel) {
    a->start(step, panel);
    b->start(step, panel);
  };
  const auto progress = [&] {
    a->progress();
    b->progress();
    return a->in_flight() || b->in_flight();
  };

  const auto panels = cut(left.layout(), left_target, right.layout(), right_target, width);
  const auto steps = std::ssize(panels);
  start(0, panels[0]);
  for (std::int64_t step = 0; step < steps; ++step) {
    if (step + 1 < steps) start(step + 1, panels[static_cast<std::size_t>(step + 1)]);
    if (!grid.position()) continue;
    const Panel<T> panel_a = a->finish(step);
    const Panel<T> panel_b = b->finish(step);
    const Stopwatch watch(seconds.gemm);
    slabbed_gemm(alpha, panel_a, panel_b, panels[static_cast<std::size_t>(step)].extent(),
                 step == 0 ? beta : T(1), C.local(), gemm, progress);
  }
  seconds.distribute = a->seconds().redistribute + b->seconds().redistribute;
  seconds.broadcast = a->seconds().broadcast + b->seconds().broadcast;
  return seconds;
}

#define CUBOID_INSTANTIATE(T)                                                               \
  template PhaseSeconds summa(T, Op, const Matrix<T>&, Op, const Matrix<T>&, T, Matrix<T>&, \
                              const ProcessGrid&, const LocalGemm&, std::int64_t)
CUBOID_INSTANTIATE(float);
CUBOID_INSTANTIATE(double);
CUBOID_INSTANTIATE(std::complex<float>);
CUBOID_INSTANTIATE(std::complex<double>);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
