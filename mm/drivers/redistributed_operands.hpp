#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/redistribute.hpp>

#include "base/stopwatch.hpp"
#include "mm/decompositions/required_layouts.hpp"

#include <optional>

namespace cuboid::detail {

/// The form in which redistributed copies of A and B are stored.
enum class OwnOperands {
  applied,   ///< op(A) and op(B)
  as_given,  ///< like A and B: the multiplication applies op itself
};

/// Redistributed copies of the matrices whose layouts a multiplication cannot use. Operands are
/// redistributed before the multiplication, C after it. Other matrices are used in place.
template <MatrixElement T>
class RedistributedOperands {
 public:
  RedistributedOperands(const ProductLayouts& product, OwnOperands operands)
      : product_(product), operands_(operands) {}

  /// Makes the copies of op(A), op(B) and C that are needed. Throws Error(out_of_memory), on this
  /// rank alone.
  void make(const Communicator& communicator, const RequiredLayouts& wanted) {
    if (!wanted.takes_a(product_)) a_.emplace(communicator, layout_of_a(wanted));
    if (!wanted.takes_b(product_)) b_.emplace(communicator, layout_of_b(wanted));
    make_c(communicator, wanted);
  }
  void make_c(const Communicator& communicator, const RequiredLayouts& wanted) {
    if (!wanted.takes_c(product_)) c_.emplace(communicator, wanted.C);
  }
  /// Makes the copies of operands in memory that the node's ranks can read. Collective; throws on
  /// all ranks.
  void share_operands(const Communicator& communicator, const RequiredLayouts& wanted) {
    if (!wanted.takes_a(product_)) a_ = Matrix<T>::shared(communicator, layout_of_a(wanted));
    if (!wanted.takes_b(product_)) b_ = Matrix<T>::shared(communicator, layout_of_b(wanted));
  }

  /// Fills the copies; the copy of C only if β ≠ 0. Collective. Adds the time that it takes to
  /// `seconds`.
  void load(const Matrix<T>& A, const Matrix<T>& B, T beta, const Matrix<T>& C, double& seconds) {
    const Stopwatch watch(seconds);
    const bool apply = operands_ == OwnOperands::applied;
    if (a_) move(apply ? product_.op_a : Op::none, A, *a_);
    if (b_) move(apply ? product_.op_b : Op::none, B, *b_);
    if (c_ && beta != T(0)) move(Op::none, C, *c_);
  }
  /// Redistributes the product to C. Collective.
  void store(Matrix<T>& C, double& seconds) const {
    if (!c_) return;
    const Stopwatch watch(seconds);
    move(Op::none, *c_, C);
  }

  bool has_copies() const { return a_ || b_ || c_; }

  /// The matrix to multiply: the copy or the original.
  const Matrix<T>& a(const Matrix<T>& A) const { return a_ ? *a_ : A; }
  const Matrix<T>& b(const Matrix<T>& B) const { return b_ ? *b_ : B; }
  Matrix<T>& c(Matrix<T>& C) { return c_ ? *c_ : C; }
  /// The operations still to be applied to a() and b().
  Op op_a() const { return is_applied(a_) ? Op::none : product_.op_a; }
  Op op_b() const { return is_applied(b_) ? Op::none : product_.op_b; }

 private:
  /// Redistributes between matrices that share no memory. So ranks need not agree on the check for
  /// shared memory.
  static void move(Op op, const Matrix<T>& from, Matrix<T>& to) {
    RedistributionPlan<T>(to.communicator(), from.layout(), op, to.layout())
        .run(T(1), from, T(0), to);
  }

  Layout layout_of_a(const RequiredLayouts& wanted) const {
    return stored(product_.op_a, wanted.A);
  }
  Layout layout_of_b(const RequiredLayouts& wanted) const {
    return stored(product_.op_b, wanted.B);
  }
  Layout stored(Op op, const Layout& wanted) const {
    return operands_ == OwnOperands::applied ? wanted : applied(op, wanted);
  }
  bool is_applied(const std::optional<Matrix<T>>& copy) const {
    return copy && operands_ == OwnOperands::applied;
  }

  ProductLayouts product_;
  OwnOperands operands_;
  std::optional<Matrix<T>> a_, b_, c_;
};

}  // namespace cuboid::detail
