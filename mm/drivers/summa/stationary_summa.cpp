#include "mm/drivers/summa/stationary_summa.hpp"

#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <array>
#include <complex>

namespace cuboid::detail {

template <MatrixElement T>
StationarySummaMultiplication<T>::StationarySummaMultiplication(const Communicator& communicator,
                                                                const GridShape& grid,
                                                                const ProductLayouts& product,
                                                                StationaryOperand stays,
                                                                std::int64_t panel_width)
    : MultiplicationDriver<T>(communicator, grid.size(), product, OwnOperands::as_given),
      grid_(communicator, grid),
      stays_(stays) {
  const RequiredLayouts wanted = wanted_for_stationary(product, grid, stays);
  collective_try(communicator, [&] {
    this->own().make(communicator, wanted);
    if (grid_.position()) make_panels(wanted, panel_width);
  });
}

template <MatrixElement T>
void StationarySummaMultiplication<T>::make_panels(const RequiredLayouts& wanted,
                                                   std::int64_t panel_width) {
  const bool a_stays = stays_ == StationaryOperand::a;
  const int rank = grid_.communicator().rank();
  const Layout large = a_stays ? wanted.A : wanted.B.transposed();
  const Layout moving = a_stays ? wanted.B : wanted.A.transposed();
  const Layout result = a_stays ? wanted.C : wanted.C.transposed();
  const auto moving_owners = moving.columns().template as<Inner>();
  const auto result_owners = result.columns().template as<Inner>();
  const std::array both{moving_owners, result_owners};
  const auto panels = panels_of_all_owners(result.n(), panel_width, both);
  const Communicator& down = a_stays ? grid_.column() : grid_.row();
  const Communicator& across = a_stays ? grid_.row() : grid_.column();
  depth_ = large.local_columns(rank);
  steps_ = std::ssize(panels);
  moving_.emplace(down, moving_owners, depth_, panels);
  products_.emplace(across, a_stays ? PanelsOfC::columns : PanelsOfC::rows, result_owners,
                    large.local_rows(rank), panels);
}

template <MatrixElement T>
void StationarySummaMultiplication<T>::multiply_panel(std::int64_t step, const Panel<T>& moving,
                                                      const DriverInput<T>& input,
                                                      const LocalGemm& gemm) {
  const ProductTarget<T> target = products_->target(step, input.beta, input.C.local());
  if (depth_ == 0) return scale(target.beta, target.to);
  const auto as_panel = [](Op op, const Matrix<T>& matrix) {
    return Panel<T>{matrix.data(), matrix.leading_dimension(), op};
  };
  const bool a_stays = stays_ == StationaryOperand::a;
  gemm_in_strips(input.alpha, a_stays ? as_panel(input.op_a, input.A) : moving,
                 a_stays ? moving : as_panel(input.op_b, input.B), depth_, target.beta, target.to,
                 gemm, [&] {
                   const bool arrives = moving_->progress(), leaves = products_->progress();
                   return arrives || leaves;
                 });
}

template <MatrixElement T>
void StationarySummaMultiplication<T>::multiply(const DriverInput<T>& input, const LocalGemm& gemm,
                                                PhaseSeconds& seconds) {
  if (!grid_.position()) return;
  const TallOperand<T> operand = stays_ == StationaryOperand::a
                                     ? left_operand(input.op_b, input.B)
                                     : right_operand(input.op_a, input.A);
  const Stopwatch watch(seconds.broadcast);
  double multiplying = 0;
  moving_->start(0, operand);
  for (std::int64_t step = 0; step < steps_; ++step) {
    if (step + 1 < steps_) moving_->start(step + 1, operand);
    if (step >= 2) products_->finish(step - 2, input.beta, input.C.local());
    const Panel<T> panel = moving_->finish(step);
    {
      const Stopwatch of_gemm(multiplying);
      multiply_panel(step, panel, input, gemm);
    }
    products_->start(step);
  }
  for (std::int64_t step = std::max<std::int64_t>(steps_ - 2, 0); step < steps_; ++step)
    products_->finish(step, input.beta, input.C.local());
  seconds.gemm += multiplying;
  seconds.broadcast -= multiplying;
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(StationarySummaMultiplication);

}  // namespace cuboid::detail
