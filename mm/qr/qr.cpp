#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/qr.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/finite.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/qr/distributed_qr.hpp"
#include "mm/qr/given_factors.hpp"

#include <algorithm>
#include <complex>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

template <MatrixElement T>
MatrixView<T> first_rows(Matrix<T>& matrix, std::int64_t rows) {
  return view(matrix, Global<Row>(0), Global<Column>(0), rows, matrix.n());
}

/// Zeros below the diagonal of this rank's part.
template <MatrixElement T>
void clear_below_diagonal(Matrix<T>& matrix) {
  const auto here = matrix.position();
  if (!here) return;
  const auto& rows = matrix.layout().rows();
  for (Local<Column> j; j.value < matrix.local_columns(); ++j) {
    const Global<Row> diagonal =
        matrix.layout().columns().global(here->column, j).template as<Row>();
    const Local<Row> below = diagonal.value >= matrix.m()
                                 ? Local<Row>(matrix.local_rows())
                                 : rows.first_local(here->row, diagonal + 1);
    T* const column = matrix.local().column(j.value);
    std::fill(column + below.value, column + matrix.local_rows(), T(0));
  }
}

}  // namespace

template <MatrixElement T>
QrFactorisation<T>::QrFactorisation(std::unique_ptr<DistributedQr<T>> factors)
    : state_(std::move(factors)) {}
template <MatrixElement T>
QrFactorisation<T>::QrFactorisation(QrFactorisation&&) noexcept = default;
template <MatrixElement T>
QrFactorisation<T>& QrFactorisation<T>::operator=(QrFactorisation&&) noexcept = default;
template <MatrixElement T>
QrFactorisation<T>::~QrFactorisation() = default;

template <MatrixElement T>
std::int64_t QrFactorisation<T>::m() const {
  return state_->m();
}
template <MatrixElement T>
std::int64_t QrFactorisation<T>::n() const {
  return state_->n();
}
template <MatrixElement T>
std::span<const T> QrFactorisation<T>::taus() const {
  return state_->outcome().taus;
}
template <MatrixElement T>
std::int64_t QrFactorisation<T>::info() const {
  return state_->condition().zero;
}
template <MatrixElement T>
bool QrFactorisation<T>::is_finite() const {
  return state_->condition().finite;
}
template <MatrixElement T>
const QrPlan& QrFactorisation<T>::plan() const {
  return state_->plan();
}
template <MatrixElement T>
const QrSeconds& QrFactorisation<T>::seconds() const {
  return state_->outcome().seconds;
}
template <MatrixElement T>
const QrCommunication& QrFactorisation<T>::traffic() const {
  return state_->outcome().traffic;
}

template <MatrixElement T>
void QrFactorisation<T>::copy_to(Matrix<T>& factors) const {
  state_->require_fitting("copy_to", factors, m(), n());
  redistribute(Op::none, state_->factors(), factors);
}

template <MatrixElement T>
void QrFactorisation<T>::copy_r_to(Matrix<T>& R) const {
  const std::int64_t rows = std::min(m(), n());
  state_->require_fitting("copy_r_to", R, rows, n());
  HostMirror<T> on_host(R);
  redistribute(Op::none, first_rows(state_->factors(), rows), on_host.get());
  clear_below_diagonal(on_host.get());
  on_host.give_back();
}

template <MatrixElement T>
void QrFactorisation<T>::copy_q_to(Matrix<T>& Q) const {
  state_->require_fitting("copy_q_to", Q, m(), std::min(Q.n(), m()));
  Matrix<T> first_columns = new_matrix<T>(Q.communicator(), state_->plan().layout(m(), Q.n()));
  first_columns.fill([](Global<Row> i, Global<Column> j) { return T(i.value == j.value ? 1 : 0); });
  state_->apply(Op::none, first_columns, QrOperand::identity);
  redistribute(Op::none, first_columns, Q);
}

template <MatrixElement T>
void QrFactorisation<T>::apply_q(Op op, MatrixSide side, Matrix<T>& C) const {
  if (op == Op::transpose && is_complex<T>) {
    throw Error(ErrorCode::invalid_argument,
                "apply_q: the transpose of a complex Q: give none or conjugate_transpose");
  }
  const bool left = side == MatrixSide::left;
  state_->require_fitting("apply_q", C, left ? m() : C.m(), left ? C.n() : m());
  // C·op(Q) is (op(Q)ᴴ·Cᴴ)ᴴ.
  const Op moving = left ? Op::none : Op::conjugate_transpose;
  Matrix<T> moved = new_matrix<T>(C.communicator(), state_->operand_layout(left ? C.n() : C.m()));
  redistribute(moving, C, moved);
  state_->apply(left == (op == Op::none) ? Op::none : Op::conjugate_transpose, moved,
                QrOperand::dense);
  redistribute(moving, moved, C);
}

template <MatrixElement T>
void QrFactorisation<T>::least_squares(const Matrix<T>& B, Matrix<T>& X) const {
  state_->require_full_rank("least_squares");
  state_->require_fitting("least_squares: B", B, m(), B.n());
  state_->require_fitting("least_squares: X", X, n(), B.n());
  Matrix<T> moved = new_matrix<T>(B.communicator(), state_->operand_layout(B.n()));
  redistribute(Op::none, B, moved);
  warn_unless_finite("least_squares", moved);
  state_->apply(Op::conjugate_transpose, moved, QrOperand::dense);
  MatrixView<T> top = first_rows(moved, n());
  state_->solve_with_r(Op::none, top);
  redistribute(Op::none, top, X);
}

template <MatrixElement T>
void QrFactorisation<T>::minimum_norm(const Matrix<T>& B, Matrix<T>& X) const {
  state_->require_full_rank("minimum_norm");
  state_->require_fitting("minimum_norm: B", B, n(), B.n());
  state_->require_fitting("minimum_norm: X", X, m(), B.n());
  Matrix<T> moved = new_matrix<T>(B.communicator(), state_->operand_layout(B.n()));
  scale(T(0), moved.local());
  MatrixView<T> top = first_rows(moved, n());
  redistribute(Op::none, B, top);
  warn_unless_finite("minimum_norm", moved);
  state_->solve_with_r(Op::conjugate_transpose, top);
  state_->apply(Op::none, moved, QrOperand::dense);
  redistribute(Op::none, moved, X);
}

template <MatrixElement T>
QrFactorisation<T> qr(const Matrix<T>& A, const LocalKernels& kernels, const QrOptions& options) {
  return qr_on_plan(A, kernels, plan_qr(A, options));
}

template <MatrixElement T>
QrFactorisation<T> detail::qr_on_plan(const Matrix<T>& A, const LocalKernels& kernels,
                                      const QrPlan& plan) {
  auto state = std::make_unique<DistributedQr<T>>(A.communicator(), A.m(), A.n(), plan, kernels);
  state->factorise(A);
  return QrFactorisation<T>(std::move(state));
}

template <MatrixElement T>
QrFactorisation<T> detail::qr_of_given_factors(const Matrix<T>& factors, std::span<const T> taus,
                                               const LocalKernels& kernels,
                                               const QrOptions& options) {
  auto state = std::make_unique<DistributedQr<T>>(factors.communicator(), factors.m(), factors.n(),
                                                  plan_qr(factors, options), kernels);
  state->take_factors(factors, taus);
  return QrFactorisation<T>(std::move(state));
}

template <MatrixElement T>
void least_squares(const Matrix<T>& A, const Matrix<T>& B, Matrix<T>& X,
                   const LocalKernels& kernels, const QrOptions& options) {
  if (A.m() >= A.n()) return qr(A, kernels, options).least_squares(B, X);
  Matrix<T> adjoint = new_matrix<T>(A.communicator(), A.layout().transposed());
  redistribute(Op::conjugate_transpose, A, adjoint);
  qr(adjoint, kernels, options).minimum_norm(B, X);
}

#define CUBOID_INSTANTIATE(T)                                                                      \
  template class QrFactorisation<T>;                                                               \
  template QrFactorisation<T> qr(const Matrix<T>&, const LocalKernels&, const QrOptions&);         \
  template QrFactorisation<T> detail::qr_on_plan(const Matrix<T>&, const LocalKernels&,            \
                                                 const QrPlan&);                                   \
  template QrFactorisation<T> detail::qr_of_given_factors(const Matrix<T>&, std::span<const T>,    \
                                                          const LocalKernels&, const QrOptions&);  \
  template void least_squares(const Matrix<T>&, const Matrix<T>&, Matrix<T>&, const LocalKernels&, \
                              const QrOptions&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
