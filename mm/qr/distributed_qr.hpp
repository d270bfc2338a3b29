#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "collectives/communicator/idle_ranks.hpp"
#include "mm/matrix/process_grid.hpp"
#include "mm/qr/dense_matrix.hpp"
#include "mm/qr/qr_outcome.hpp"
#include "mm/qr/qr_plan.hpp"
#include "models/factorisation/panel_schedule.hpp"

#include <cstdint>
#include <span>

namespace cuboid::detail {

template <MatrixElement T>
struct QrContext;

/// The operand of Q: any matrix, or the first columns of the identity, whose zeros need no work.
enum class QrOperand { dense, identity };

/// What is known of the matrix and R after the factorisation.
struct QrCondition {
  std::int64_t zero = 0;  ///< the first k, counted from 1, for which R(k, k) is 0; 0 if there is
                          ///< none
  bool finite = true;     ///< true if the matrix and R's diagonal are finite
};

/// A matrix distributed over a process grid and factorised in place. Functions are collective over
/// the communicator unless they say otherwise.
template <MatrixElement T>
class DistributedQr {
 public:
  /// Throws Error(out_of_memory) on every rank if a rank lacks memory, Error(invalid_argument) if
  /// the plan's grid has more ranks than there are.
  DistributedQr(const Communicator& communicator, std::int64_t m, std::int64_t n,
                const QrPlan& plan, const LocalKernels& kernels);

  /// Reads A in any layout, and factorises it.
  void factorise(const Matrix<T>& A);
  /// Reads factors in the form of copy_to() and taus(), in any layout.
  void take_factors(const Matrix<T>& factors, std::span<const T> taus);
  /// C ← op(Q)·C for C in operand_layout(), or in the plan's layout if C is an identity.
  void apply(Op op, Matrix<T>& C, QrOperand operand);
  /// X ← op(R)⁻¹·X for the square R of m >= n.
  void solve_with_r(Op op, Matrix<T>& X) const;

  // The following functions are not collective.

  std::int64_t m() const { return schedule_.m(); }
  std::int64_t n() const { return schedule_.n(); }
  const QrPlan& plan() const { return plan_; }
  Matrix<T>& factors() { return factors_; }
  const QrOutcome<T>& outcome() const { return outcome_; }
  const QrCondition& condition() const { return condition_; }
  /// The layout of a matrix with `columns` columns to which Q is applied.
  Layout operand_layout(std::int64_t columns) const;

  /// Throws Error(invalid_argument) unless `other` has these extents and is on the same
  /// communicator.
  void require_fitting(const char* what, const Matrix<T>& other, std::int64_t rows,
                       std::int64_t columns) const;
  /// Throws Error(invalid_argument) if m < n or R has a zero on its diagonal.
  void require_full_rank(const char* what) const;

 private:
  QrContext<T> context();
  /// Runs `work(context)` on the grid's ranks, while the others wait.
  template <class Work>
  void work(const Work& work);
  QrCondition found_condition(bool matrix_finite) const;

  Communicator communicator_;
  QrPlan plan_;
  LocalKernels kernels_;
  ProcessGrid grid_;
  PanelSchedule schedule_;
  IdleRanks idle_ranks_;
  DenseMatrix<T> block_factors_;  // T of this rank's panels: a block × its columns
  Matrix<T> factors_;
  QrOutcome<T> outcome_;
  QrCondition condition_;
};

}  // namespace cuboid::detail
