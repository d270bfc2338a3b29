#include "mm/qr/distributed_qr.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/redistribute.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/finite.hpp"
#include "mm/matrix/ranks.hpp"
#include "mm/qr/apply_reflectors.hpp"
#include "mm/qr/blocked_qr.hpp"
#include "mm/qr/qr_context.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <span>

#include <fmt/format.h>

namespace cuboid::detail {

template <MatrixElement T>
DistributedQr<T>::DistributedQr(const Communicator& communicator, std::int64_t m, std::int64_t n,
                                const QrPlan& plan, const LocalKernels& kernels)
    : communicator_(communicator),
      plan_(plan),
      kernels_(kernels),
      grid_(communicator, plan.grid),
      schedule_(plan.schedule(m, n)),
      idle_ranks_(communicator, plan.grid.size()),
      factors_(collective_try(communicator, [&] {
        const Layout layout = plan.layout(m, n);
        if (m > 0) {
          block_factors_.resize(std::min(schedule_.block(), std::min(m, n)),
                                layout.local_columns(communicator.rank()));
        }
        return Matrix<T>(communicator, layout);
      })) {}

template <MatrixElement T>
QrContext<T> DistributedQr<T>::context() {
  return {grid_, schedule_, *grid_.position(), factors_.local(), block_factors_.view(), kernels_};
}

template <MatrixElement T>
template <class Work>
void DistributedQr<T>::work(const Work& work) {
  idle_ranks_.run([&] {
    if (!grid_.position()) return;
    QrContext<T> here = context();
    work(here);
  });
}

template <MatrixElement T>
void DistributedQr<T>::factorise(const Matrix<T>& A) {
  redistribute(Op::none, A, factors_);
  const bool matrix_finite = all_finite<const T>(factors_.local());
  work([&](QrContext<T>& here) {
    factorise_blocks(here);
    outcome_ = std::move(here.outcome);
  });
  outcome_.taus.resize(static_cast<std::size_t>(std::min(m(), n())));
  if (plan_.grid.size() < communicator_.size() && !outcome_.taus.empty())
    broadcast(communicator_, outcome_.taus, 0);
  condition_ = found_condition(matrix_finite);
}

template <MatrixElement T>
void DistributedQr<T>::take_factors(const Matrix<T>& factors, std::span<const T> taus) {
  redistribute(Op::none, factors, factors_);
  outcome_.taus.assign(taus.begin(), taus.end());
  work([&](QrContext<T>& here) { form_block_factors<T>(here, taus); });
  condition_ = found_condition(all_finite<const T>(factors_.local()));
}

template <MatrixElement T>
QrCondition DistributedQr<T>::found_condition(bool matrix_finite) const {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t zero = none;
  bool diagonal_finite = true;
  if (const auto here = grid_.position()) {
    for (std::int64_t index = 0; index < schedule_.steps(); ++index) {
      const PanelStep step = schedule_.step(index);
      if (here->row != step.row || here->column != step.column) continue;
      const std::int64_t row = schedule_.step_rows(step).begin,
                         column = schedule_.step_columns(step).begin;
      for (std::int64_t k = 0; k < step.width(); ++k) {
        const T element = factors_.local()(row + k, column + k);
        if (element == T(0)) zero = std::min(zero, step.begin + k + 1);
        diagonal_finite = diagonal_finite && is_finite(element);
      }
    }
  }
  std::array<std::int64_t, 3> found{zero, matrix_finite ? 1 : 0, diagonal_finite ? 1 : 0};
  const std::span<std::int64_t> all(found);
  allreduce(communicator_, all, all, Reduction::Kind::minimum);
  const bool all_of_matrix = found[1] != 0, finite = all_of_matrix && found[2] != 0;
  if (!finite && communicator_.rank() == 0) {
    communicator_.logger().warn(fmt::format(
        "the factors Q and R are not finite: the matrix {}",
        all_of_matrix ? "has elements that are too large" : "has a NaN or an infinity"));
  }
  return {found[0] == none ? 0 : found[0], finite};
}

template <MatrixElement T>
Layout DistributedQr<T>::operand_layout(std::int64_t columns) const {
  return {factors_.layout().rows(), BlockCyclic<Column>::blocks(columns, plan_.grid.columns()),
          plan_.grid};
}

template <MatrixElement T>
void DistributedQr<T>::apply(Op op, Matrix<T>& C, QrOperand operand) {
  if (C.m() == 0 || C.n() == 0) return;
  work([&](QrContext<T>& here) {
    // Columns of the identity left of a step's panel are zero from the panel's first row on.
    const auto first_column = [&](const PanelStep& step) {
      if (operand == QrOperand::dense) return std::int64_t{0};
      const Global<Column> begin(std::min(step.begin, C.n()));
      return C.layout().columns().first_local(here.here.column, begin).value;
    };
    apply_reflectors<T>(here, op, C.local(), first_column);
  });
}

template <MatrixElement T>
void DistributedQr<T>::solve_with_r(Op op, Matrix<T>& X) const {
  const auto R = view(factors_, Global<Row>(0), Global<Column>(0), n(), n());
  trsm(MatrixSide::left, Triangle::upper, op, Diagonal::stored, T(1), R, X, kernels_,
       {.grid = plan_.grid, .block = plan_.block});
}

template <MatrixElement T>
void DistributedQr<T>::require_fitting(const char* what, const Matrix<T>& other, std::int64_t rows,
                                       std::int64_t columns) const {
  if (other.m() == rows && other.n() == columns &&
      same_communicator(other.communicator(), communicator_))
    return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: a {}x{} matrix: give {}x{} on the communicator of the matrix that "
                          "was factorised",
                          what, other.m(), other.n(), rows, columns));
}

template <MatrixElement T>
void DistributedQr<T>::require_full_rank(const char* what) const {
  if (m() < n()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: the matrix that was factorised is {}x{}: factorise its conjugate "
                            "transpose, or use cuboid::least_squares()",
                            what, m(), n()));
  }
  if (condition_.zero == 0) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{0}: the matrix has not full rank: R({1}, {1}) is exactly 0", what,
                          condition_.zero));
}

#define CUBOID_INSTANTIATE(T) template class DistributedQr<T>
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
