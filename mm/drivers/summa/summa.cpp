#include "mm/drivers/summa/summa.hpp"

#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/decompositions/required_layouts.hpp"
#include "mm/local/gemm_in_strips.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <complex>
#include <span>

namespace cuboid::detail {

namespace {

/// The panels of all steps, equal on every rank.
std::vector<PanelRanges> cut(const OperandDelivery& left, const OperandDelivery& right,
                             std::int64_t panel_width, PanelOrder order) {
  std::vector<BlockCyclic<Inner>> with_owners;
  bool redistributes = false;
  for (const OperandDelivery* side : {&left, &right}) {
    redistributes = redistributes || side->delivery == Delivery::redistribute;
    if (side->delivery != Delivery::broadcast) continue;
    with_owners.push_back(side->layout.columns().as<Inner>());
  }
  const std::int64_t k = left.layout.n();
  return order == PanelOrder::all_owners && !redistributes
             ? panels_of_all_owners(k, panel_width, with_owners)
             : panels_in_turn(k, panel_width, with_owners);
}

/// With PanelOrder::all_owners, all ranks of a line send and forward; a rank whose gemm is late
/// delays the others. A second panel in flight evens out such delays.
int panels_ahead(PanelOrder order) {
  return order == PanelOrder::all_owners ? 2 : 1;
}

}  // namespace

template <MatrixElement T>
SummaMultiplication<T>::SummaMultiplication(const Communicator& communicator, const GridShape& grid,
                                            const ProductLayouts& product, std::int64_t panel_width,
                                            PanelOrder order)
    : MultiplicationDriver<T>(communicator, grid.size(), product, OwnOperands::as_given),
      grid_(communicator, grid),
      ahead_(panels_ahead(order)) {
  const std::int64_t k = product.size().k;
  if (k == 0) return;
  const std::int64_t width = std::min(panel_width, k);
  const RequiredLayouts wanted = wanted_for_panels(product, grid, width);
  delivery_a_.emplace(applied(product.op_a, product.A), PanelTarget{wanted.C.rows(), grid}, width);
  delivery_b_.emplace(applied(product.op_b, product.B).transposed(),
                      PanelTarget{wanted.C.columns().template as<Row>(), grid.transposed()}, width);
  panels_ = cut(*delivery_a_, *delivery_b_, width, order);
  collective_try(communicator, [&] {
    SummaMultiplication::make_panels_at(PanelPlace());
    this->own().make_c(communicator,
                       wanted);  // panels of A and B are sent from where these matrices are stored
  });
}

template <MatrixElement T>
bool SummaMultiplication<T>::make_panels_at(const PanelPlace& place) {
  if (!delivery_a_) return true;
  const auto here = grid_.position();
  const auto transposed =
      here ? std::optional(GridPosition{here->column, here->row}) : std::nullopt;
  const auto feed = [&](const OperandDelivery& way, const Communicator& line, auto position) {
    return make_panel_feed<T>(way.delivery, way.layout, way.target, line, position, panels_, place,
                              ahead_);
  };
  auto a = feed(*delivery_a_, grid_.row(), here);
  auto b = feed(*delivery_b_, grid_.column(), transposed);
  a_ = std::move(a);
  b_ = std::move(b);
  return true;
}

template <MatrixElement T>
void SummaMultiplication<T>::multiply(const DriverInput<T>& input, const LocalGemm& gemm,
                                      PhaseSeconds& seconds) {
  try {
    multiply_panels(input, gemm, seconds);
  } catch (...) {
    // Panels are sent from where A and B are stored, which is the caller's memory.
    a_->abandon();
    b_->abandon();
    throw;
  }
}

template <MatrixElement T>
void SummaMultiplication<T>::multiply_panels(const DriverInput<T>& input, const LocalGemm& gemm,
                                             PhaseSeconds& seconds) {
  const TallOperand<T> left = left_operand(input.op_a, input.A);
  const TallOperand<T> right = right_operand(input.op_b, input.B);
  const auto start = [&](std::int64_t step) {
    a_->start(step, panels_[static_cast<std::size_t>(step)], left);
    b_->start(step, panels_[static_cast<std::size_t>(step)], right);
  };
  const auto progress = [&] {
    a_->progress();
    b_->progress();
    return a_->in_flight() || b_->in_flight();
  };
  const auto steps = std::ssize(panels_);
  const LocalView<T> C = input.C.local();
  const LocalRectangle all_of_c{{0, C.rows}, {0, C.columns}};
  const std::span<const LocalRectangle> parts =
      parts_ ? std::span<const LocalRectangle>(*parts_) : std::span(&all_of_c, 1);
  std::int64_t widest = 0;
  for (const PanelRanges& panel : panels_) widest = std::max(widest, extent_of(panel));
  SumOfPanels<T> sum(gemm, C, input.op_a == Op::none ? input.A.n() : input.A.m(), widest,
                     input.beta);
  std::int64_t next = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    while (next < steps && next <= step + ahead_) start(next++);
    if (!grid_.position()) continue;
    const Panel<T> panel_a = a_->finish(step);
    const Panel<T> panel_b = b_->finish(step);
    const Stopwatch watch(seconds.gemm);
    for (const auto& [rows, columns] : parts) {
      sum.add(input.alpha, {panel_a.from(rows.begin, 0), panel_a.leading_dimension, panel_a.op},
              {panel_b.from(0, columns.begin), panel_b.leading_dimension, panel_b.op},
              extent_of(panels_[static_cast<std::size_t>(step)]), step == 0 ? input.beta : T(1),
              C.block(rows.begin, columns.begin, rows.length(), columns.length()), progress);
    }
  }
  {
    const Stopwatch watch(seconds.gemm);
    sum.finish(progress);
  }
  const FeedSeconds of_a = a_->take_seconds(), of_b = b_->take_seconds();
  seconds.distribute += of_a.redistribute + of_b.redistribute;
  seconds.broadcast += of_a.broadcast + of_b.broadcast;
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(SummaMultiplication);

}  // namespace cuboid::detail
