#pragma once

#include <cuboid/element.hpp>
#include <cuboid/export.hpp>
#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace cuboid {

namespace detail {
struct QrPlan;
struct QrSeconds;
struct QrCommunication;
template <MatrixElement T>
class DistributedQr;
}  // namespace detail

/// Options of a QR factorisation.
struct QrOptions {
  /// Rows and columns of the process grid. Unset: the fastest by the model; for a tall and skinny
  /// matrix one column.
  std::optional<GridShape> grid = std::nullopt;
  /// Columns of a panel and rows and columns of a block, >= 1. Unset: the fastest by the model.
  std::optional<std::int64_t> block = std::nullopt;
  /// Bytes per rank for the factors and the panels. Unset: no limit.
  std::optional<std::int64_t> memory_limit = std::nullopt;
};

/// The factors of an m×n matrix A = Q·R, kept on the ranks that made them: Q, unitary m×m, as
/// min(m, n) Householder reflectors, and R, upper trapezoidal. Made by qr(). Move-only. Its
/// functions are collective over the communicator of the matrix, and return the same on every rank,
/// unless they say otherwise.
template <MatrixElement T>
class CUBOID_API QrFactorisation {
 public:
  QrFactorisation(QrFactorisation&&) noexcept;
  QrFactorisation& operator=(QrFactorisation&&) noexcept;
  ~QrFactorisation();

  /// Rows and columns of the matrix that was factorised. Not collective.
  std::int64_t m() const;
  std::int64_t n() const;

  /// LAPACK's TAU, min(m, n) numbers: Q = H(0)·H(1)·… with H(k) = I − taus()[k]·v·vᴴ. Vector v has
  /// k zeros, a one, and then column k of copy_to()'s matrix below the diagonal. Not collective.
  std::span<const T> taus() const;
  /// 0, or the first k, counted from 1, for which the diagonal element R(k, k) is exactly 0. A has
  /// not full rank then, and least_squares() refuses. Rounding seldom leaves an exact 0 in a matrix
  /// that has not full rank. Not collective.
  std::int64_t info() const;
  /// True if neither A nor R's diagonal has a NaN or an infinity. If false, rank 0 logs a warning
  /// when the factors are made. Not collective.
  bool is_finite() const;

  /// For Cuboid's own tools: the grid and block, and this rank's times and traffic. Not collective.
  const detail::QrPlan& plan() const;
  const detail::QrSeconds& seconds() const;
  const detail::QrCommunication& traffic() const;

  /// Copies R and the reflectors into one matrix as ?geqrf leaves them: R on and above the
  /// diagonal, the vectors below it. Throws Error(invalid_argument) if `factors` is not m×n or is
  /// on another communicator.
  void copy_to(Matrix<T>& factors) const;
  /// Copies R, with zeros below its diagonal; the real parts of its diagonal may have any sign.
  /// Throws Error(invalid_argument) if `R` is not min(m, n)×n or is on another communicator.
  void copy_r_to(Matrix<T>& R) const;
  /// Copies the first columns of Q, as many as the matrix `Q` has: min(m, n) for the thin Q, m for
  /// all. Throws Error(invalid_argument) if `Q` has not m rows, has more than m columns, or is on
  /// another communicator; Error(out_of_memory).
  void copy_q_to(Matrix<T>& Q) const;

  /// C ← op(Q)·C, or C·op(Q) (MatrixSide::right), for C in any layout. Q is not formed: every rank
  /// receives the reflectors of its rows. Throws Error(invalid_argument) if C has not m rows
  /// (right: columns) or is on another communicator, and for Op::transpose of a complex Q, as
  /// LAPACK's ?unmqr; Error(out_of_memory).
  void apply_q(Op op, MatrixSide side, Matrix<T>& C) const;

  /// X is the matrix that minimises ‖A·X − B‖ in each column's 2-norm: X = R⁻¹·(Qᴴ·B)(0:n). Needs m
  /// >= n and full rank. B is m×k and left as it is, X is n×k; any layouts. If B has a NaN or an
  /// infinity, rank 0 warns. Throws Error(invalid_argument) if shapes do not fit, m < n,
  /// communicators differ, or A has not full rank (with the index).
  void least_squares(const Matrix<T>& B, Matrix<T>& X) const;
  /// X is the matrix of least 2-norm with Aᴴ·X = B: X = Q·[R⁻ᴴ·B; 0]. Needs m >= n and full rank. B
  /// is n×k and left as it is, X is m×k. Throws as least_squares().
  void minimum_norm(const Matrix<T>& B, Matrix<T>& X) const;

  /// qr() calls this constructor.
  explicit QrFactorisation(std::unique_ptr<detail::DistributedQr<T>> factors);

 private:
  std::unique_ptr<detail::DistributedQr<T>> state_;
};

/// A = Q·R for any m×n, on a P×Q grid with blocks cyclically distributed. TSQR in the process
/// column factorises a panel (Demmel, Grigori, Hoemmen and Langou 2012). Its Householder vectors
/// are reconstructed, so the factors lie as LAPACK lays them out (Ballard et al. 2014). Apart from
/// rounding, the reflectors are LAPACK's. A may lie in any layout and is left as it is. Collective
/// over its communicator; ranks outside the grid wait. Every run gives the same bits.
///
///   const auto kernels = LocalKernels::open(communicator, 1);
///   const auto factors = qr(A, kernels);
///   factors.least_squares(B, X);
///
/// Every rank receives about (mn − n²/2)/P + n²/Q words in min(m, n)/block steps of O(log P + log
/// Q) messages. Memory per rank: mn/(P·Q) words, and panels. A matrix without full rank is no error
/// here. Throws on every rank, before anything is done: Error(invalid_argument) if the options do
/// not suit the number of ranks, or for more than 2^44 rows or columns; Error(out_of_memory) if no
/// plan fits the memory limit (with the limit that would suffice) or a rank lacks memory. Also
/// throws what communication throws.
template <MatrixElement T>
CUBOID_API QrFactorisation<T> qr(const Matrix<T>& A, const LocalKernels& kernels,
                                 const QrOptions& options = {});

/// For m >= n, X minimises ‖A·X − B‖; for m < n, X has the least norm with A·X = B. A is m×n of
/// full rank, B m×k, X n×k, in any layouts; A and B are left as they are. Collective. Uses qr() of
/// A, or of Aᴴ. Throws what qr() and QrFactorisation::least_squares() throw.
template <MatrixElement T>
CUBOID_API void least_squares(const Matrix<T>& A, const Matrix<T>& B, Matrix<T>& X,
                              const LocalKernels& kernels, const QrOptions& options = {});

}  // namespace cuboid
