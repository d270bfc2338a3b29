#include "mm/drivers/summa/hsumma.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>

#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/decompositions/required_layouts.hpp"
#include "mm/drivers/summa/summa.hpp"
#include "mm/local/gemm_in_strips.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <span>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

void check(const GridShape& grid, const GroupShape& groups, const HsummaWidths& widths) {
  const auto reject = [](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, "HSUMMA: " + message);
  };
  if (!groups.divides(grid)) {
    reject(fmt::format("{} groups of a {} grid: give numbers that divide its rows and columns",
                       to_string(groups), to_string(grid)));
  }
  if (widths.inner < 1 || widths.outer < widths.inner) {
    reject(
        fmt::format("inner panels {} wide, outer ones {}: give at least 1, and no less to the "
                    "outer ones",
                    widths.inner, widths.outer));
  }
}

}  // namespace

template <MatrixElement T>
HsummaMultiplication<T>::HsummaMultiplication(const Communicator& communicator,
                                              const GridShape& grid, const GroupShape& groups,
                                              const ProductLayouts& product,
                                              const HsummaWidths& widths, PanelOrder order)
    : MultiplicationDriver<T>(communicator, grid.size(), product, OwnOperands::applied),
      grid_(communicator, grid) {
  const std::int64_t k = product.size().k;
  const std::int64_t width = std::max<std::int64_t>(std::min(widths.inner, k), 1);
  const RequiredLayouts wanted = wanted_for_panels(product, grid, width);
  const std::array owners{wanted.A.columns().template as<Inner>(),
                          wanted.B.rows().template as<Inner>()};
  panels_ = order == PanelOrder::all_owners ? panels_of_all_owners(k, width, owners)
                                            : panels_in_turn(k, width, owners);
  outers_ = outer_panels(panels_, widths.outer);
  std::optional<GroupedLine> row, column;
  if (grid_.position()) {
    row.emplace(grid_.row(), groups.columns);
    column.emplace(grid_.column(), groups.rows);
  }
  collective_try(communicator, [&] {
    this->own().make(communicator, wanted);
    if (const auto here = grid_.position()) {
      a_.emplace(*row, owners[0], wanted.C.rows().local_extent(here->row), panels_, outers_);
      b_.emplace(*column, owners[1], wanted.C.columns().local_extent(here->column), panels_,
                 outers_);
    }
  });
}

template <MatrixElement T>
void HsummaMultiplication<T>::multiply(const DriverInput<T>& input, const LocalGemm& gemm,
                                       PhaseSeconds& seconds) {
  if (!grid_.position()) return;
  const TallOperand<T> left = left_operand(input.op_a, input.A);
  const TallOperand<T> right = right_operand(input.op_b, input.B);
  const auto start_between = [&](std::int64_t outer) {
    const Stopwatch watch(seconds.broadcast);
    a_->start_between(outer, left);
    b_->start_between(outer, right);
  };
  const auto start_inside = [&](std::int64_t step) {
    const Stopwatch watch(seconds.broadcast);
    a_->start_inside(step);
    b_->start_inside(step);
  };
  const auto finish = [&](std::int64_t step) {
    const Stopwatch watch(seconds.broadcast);
    return std::pair(a_->finish(step, left), b_->finish(step, right));
  };
  const auto progress = [&] {
    const bool a_moves = a_->progress();
    return b_->progress() || a_moves;
  };

  const auto steps = std::ssize(panels_);
  const auto outers = std::ssize(outers_);
  const LocalView<T> C = input.C.local();
  std::int64_t widest = 0;
  for (const PanelRanges& panel : panels_) widest = std::max(widest, extent_of(panel));
  SumOfPanels<T> sum(gemm, C, input.op_a == Op::none ? input.A.n() : input.A.m(), widest,
                     input.beta);
  start_between(0);
  start_inside(0);
  for (std::int64_t outer = 0; outer < outers; ++outer) {
    if (outer + 1 < outers) start_between(outer + 1);
    const auto [first, last] = outers_[static_cast<std::size_t>(outer)];
    for (std::int64_t step = first; step < last; ++step) {
      if (step + 1 < steps) start_inside(step + 1);
      const auto [panel_a, panel_b] = finish(step);
      const Stopwatch watch(seconds.gemm);
      sum.add(input.alpha, panel_a, panel_b, extent_of(panels_[static_cast<std::size_t>(step)]),
              step == 0 ? input.beta : T(1), C, progress);
    }
  }
  const Stopwatch watch(seconds.gemm);
  sum.finish(progress);
}

template <MatrixElement T>
std::unique_ptr<Multiplication<T>> make_hsumma(const Communicator& communicator,
                                               const GridShape& grid, const GroupShape& groups,
                                               const ProductLayouts& product,
                                               const HsummaWidths& widths, PanelOrder order) {
  check(grid, groups, widths);
  const auto summa = [&](std::int64_t width) {
    return std::make_unique<SummaMultiplication<T>>(communicator, grid, product, width, order);
  };
  if (groups == GroupShape{1, 1}) return summa(widths.inner);
  if (groups == GroupShape{grid.rows(), grid.columns()}) return summa(widths.outer);
  return std::make_unique<HsummaMultiplication<T>>(communicator, grid, groups, product, widths,
                                                   order);
}

template <MatrixElement T>
SampledHsummaMultiplication<T>::SampledHsummaMultiplication(const Communicator& communicator,
                                                            const GridShape& grid,
                                                            const ProductLayouts& product,
                                                            const HsummaWidths& widths,
                                                            PanelOrder order)
    : communicator_(communicator), grid_(grid), product_(product), widths_(widths), order_(order) {
  check(grid, {}, widths);
}

template <MatrixElement T>
GroupShape SampledHsummaMultiplication<T>::fastest(const LocalGemm& gemm) const {
  constexpr int runs = 3;  // the first one makes connections and plans
  const auto& [m, n, k] = product_.size();
  const std::int64_t inner = std::min(k, sampled_outer_panels * widths_.outer);
  const ProductLayouts sample{Layout::block(m, inner, grid_), Op::none,
                              Layout::block(inner, n, grid_), Op::none, Layout::block(m, n, grid_)};
  auto [A, B, C] = collective_try(communicator_, [&] {
    return std::tuple(Matrix<T>(communicator_, sample.A), Matrix<T>(communicator_, sample.B),
                      Matrix<T>(communicator_, sample.C));
  });
  A.fill_random(1);
  B.fill_random(2);
  GroupShape best;
  double least = std::numeric_limits<double>::infinity();
  for (const GroupShape& groups : group_shapes(grid_)) {
    const auto candidate = make_hsumma<T>(communicator_, grid_, groups, sample, widths_, order_);
    double shortest = std::numeric_limits<double>::infinity();
    for (int run = 0; run < runs; ++run) {
      double seconds = 0;
      barrier(communicator_);
      {
        const Stopwatch watch(seconds);
        candidate->run(T(1), A, B, T(0), C, gemm);
      }
      shortest = std::min(shortest, seconds);
    }
    allreduce(communicator_, std::span(&shortest, 1), std::span(&shortest, 1),
              Reduction::Kind::maximum);
    if (shortest < least) {
      least = shortest;
      best = groups;
    }
  }
  return best;
}

template <MatrixElement T>
void SampledHsummaMultiplication<T>::prepare(const LocalGemm& gemm) {
  if (multiplication_) return;
  groups_ = fastest(gemm);
  if (communicator_.rank() == 0) {
    communicator_.logger().info(
        fmt::format("HSUMMA: measured {} groups of the {} grid as the fastest", to_string(*groups_),
                    to_string(grid_)));
  }
  multiplication_ = make_hsumma<T>(communicator_, grid_, *groups_, product_, widths_, order_);
}

template <MatrixElement T>
PhaseSeconds SampledHsummaMultiplication<T>::run(T alpha, const Matrix<T>& A, const Matrix<T>& B,
                                                 T beta, Matrix<T>& C, const LocalGemm& gemm) {
  prepare(gemm);
  return multiplication_->run(alpha, A, B, beta, C, gemm);
}

#define CUBOID_INSTANTIATE(T)                                                          \
  template class SampledHsummaMultiplication<T>;                                       \
  template std::unique_ptr<Multiplication<T>> make_hsumma(                             \
      const Communicator&, const GridShape&, const GroupShape&, const ProductLayouts&, \
      const HsummaWidths&, PanelOrder)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
