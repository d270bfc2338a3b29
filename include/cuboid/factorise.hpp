#pragma once

#include <cuboid/element.hpp>
#include <cuboid/export.hpp>
#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/norms.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace cuboid {

/// The way in which a factorisation chooses its pivots.
enum class Pivoting {
  /// The diagonal as it is: for matrices that need no pivoting, e.g. diagonally dominant ones.
  none,
  tournament,  ///< the winners of a tournament (Grigori, Demmel and Xiang 2011): few messages
  /// The largest element of each column, as in LAPACK and ScaLAPACK: a message per column.
  partial,
};

/// "none", "tournament", "partial".
CUBOID_API std::string_view to_string(Pivoting pivoting);

namespace detail {
struct FactorisePlan;
struct LuSeconds;
struct LuCommunication;
template <MatrixElement T>
struct DistributedFactors;
}  // namespace detail

/// Options of a factorisation.
struct FactoriseOptions {
  Pivoting pivoting = Pivoting::tournament;
  /// The process grid: its rows and columns, the same for every layer. Unset: the fastest by the
  /// model.
  std::optional<GridShape> grid = std::nullopt;
  /// Layers of 2.5D LU, >= 1, each of which holds a copy of the matrix; 1 is 2-D LU. Unset: the
  /// fastest by the model.
  std::optional<int> layers = std::nullopt;
  /// Rows and columns of a block, >= 1. Unset: the fastest by the model.
  std::optional<std::int64_t> block = std::nullopt;
  /// Bytes per rank for the factors and the panels. Unset: no limit.
  std::optional<std::int64_t> memory_limit = std::nullopt;
};

/// The determinant of a matrix: sign · e^logarithm. Zero: sign 0, logarithm minus infinity.
template <MatrixElement T>
struct Determinant {
  T sign = T(1);                 ///< a number of modulus 1 for a complex matrix
  double logarithm_of_size = 0;  ///< ln |det|
};

/// The factors of a matrix, kept on the ranks that made them: P·A = L·U, or A = L·Lᴴ. Made by
/// factorise() and cholesky(). Move-only. Its functions are collective over the communicator of the
/// matrix, and return the same on every rank, unless they say otherwise.
template <MatrixElement T>
class CUBOID_API LuFactorisation {
 public:
  LuFactorisation(LuFactorisation&&) noexcept;
  LuFactorisation& operator=(LuFactorisation&&) noexcept;
  ~LuFactorisation();

  /// Rows and columns of the matrix that was factorised. m(), n(), pivoting() and is_cholesky() are
  /// not collective.
  std::int64_t m() const;
  std::int64_t n() const;
  /// The pivoting that was used: none for Cholesky.
  Pivoting pivoting() const;
  bool is_cholesky() const;

  /// LAPACK's IPIV, but counted from 0: row k was swapped with row pivots()[k], for k = 0, 1, … in
  /// turn. There are min(m, n) numbers. Without pivoting, pivots()[k] = k. Not collective.
  std::span<const std::int64_t> pivots() const;
  /// LAPACK's info: 0, or the first k, counted from 1, for which U(k, k) is exactly 0. For
  /// Cholesky: the k for which the leading minor of order k is not positive definite. If info() is
  /// not 0, U is singular and solve() refuses. Not collective.
  std::int64_t info() const;
  /// True if neither A nor U's diagonal has a NaN or an infinity. U can have them because A has
  /// them, because elements of A are too large or, without pivoting, because a pivot was too small.
  /// If false, rank 0 logs a warning when the factors are made. As with LAPACK, info() is 0 then,
  /// and solutions have NaN, too. Not collective.
  bool is_finite() const;

  /// For Cuboid's own tools: the grid and block, and this rank's times and traffic. Not collective.
  const detail::FactorisePlan& plan() const;
  const detail::LuSeconds& seconds() const;
  const detail::LuCommunication& traffic() const;
  const detail::DistributedFactors<T>& state() const { return *state_; }

  /// Copies L and U into one matrix as ?getrf leaves them (L's unit diagonal is not stored). Of a
  /// Cholesky factorisation, L goes into the lower triangle and Lᴴ into the upper. Throws
  /// Error(invalid_argument) if `factors` is not m×n or is on another communicator.
  void copy_to(Matrix<T>& factors) const;
  /// Copies only one triangle of that, with its diagonal, into the same triangle of a square matrix
  /// `factors`. The other triangle of `factors` is neither read nor written. The upper triangle of
  /// a Cholesky factorisation is U = Lᴴ. Throws as above, and if the matrix is not square.
  void copy_to(Matrix<T>& factors, Triangle written) const;

  /// B ← op(A)⁻¹·B for any number of right-hand sides, in any layout; A must be square. Throws
  /// Error(invalid_argument) if A is not square, if B has not n rows or lies on another
  /// communicator, or if A is singular (with the index of the pivot). If B has a NaN or an
  /// infinity, rank 0 warns.
  void solve(Matrix<T>& B, Op op = Op::none) const;

  /// det(A) of a square matrix. Throws Error(invalid_argument) if A is not square.
  Determinant<T> determinant() const;

  /// X ← A⁻¹ for an n×n X in any layout, from the factors in place of X. LU inverts U and divides
  /// by L from the right (LAPACK's ?getri), by halves with trtri() and multiply(): 4n³/3 operations
  /// after the factorisation. Cholesky inverts L and multiplies L⁻ᴴ·L⁻¹ (LAPACK's ?potri), by
  /// halves with trtri(), trmm() and herk(): 2n³/3 operations. Both compute what trmm() computes of
  /// the other triangle, and need memory for one more X. Throws Error(invalid_argument) as solve().
  void inverse(Matrix<T>& X) const;

  /// An estimate of 1 / (‖A‖·‖A⁻¹‖) in the norm `kind`, one or infinity, nearly always within a
  /// factor of 3 (Higham 1988, as ?gecon); 0 for a singular matrix. Costs about five solves. Throws
  /// Error(invalid_argument) for a matrix that is not square, or another norm.
  RealOf<T> reciprocal_condition(Norm kind = Norm::one) const;
  /// ‖A‖₁ and ‖A‖∞ of the matrix that was factorised. Not collective.
  RealOf<T> one_norm() const;
  RealOf<T> infinity_norm() const;

  /// factorise() and cholesky() call this constructor.
  explicit LuFactorisation(std::unique_ptr<detail::DistributedFactors<T>> factors);

 private:
  std::unique_ptr<detail::DistributedFactors<T>> state_;
};

/// P·A = L·U by 2.5D LU (Solomonik et al. 2011, §3.1.3 and §3.1.4) on c layers of a P×Q grid. With
/// one layer it is 2-D LU. A may lie in any layout and is left as it is. Collective over its
/// communicator; ranks outside the grid wait. Every run gives the same bits.
///
///   const auto kernels = LocalKernels::open(communicator, 1);
///   const auto factors = factorise(A, kernels);
///   factors.solve(B);
///
/// Every rank receives about 2mn/√(P·c) words in 3·min(m, n)/block steps of few messages each (with
/// Pivoting::partial, one message more per column). Memory per rank: c·mn/P words, and panels. A
/// singular matrix is no error here: see LuFactorisation::info(). Throws on every rank, before
/// anything is done: Error(invalid_argument) if the options do not suit the number of ranks, or for
/// more than 2^44 rows or columns; Error(out_of_memory) if no plan fits the memory limit (with the
/// limit that would suffice) or a rank lacks memory. Also throws what communication throws.
template <MatrixElement T>
CUBOID_API LuFactorisation<T> factorise(const Matrix<T>& A, const LocalKernels& kernels,
                                        const FactoriseOptions& options = {});

/// A = L·Lᴴ for a Hermitian (real: symmetric) positive definite matrix by 2.5D Cholesky. In each
/// step the diagonal block is factorised and its panel is solved for. The panel is sent along
/// process rows and, transposed, along process columns. Only the lower triangle is updated. Only
/// one triangle of A is read; options.pivoting has no effect. Every rank receives about n²/√(P·c)
/// words in 2·n/block steps of few messages each. That is n³/(P·√M) words with the memory M =
/// c·n²/P, as COnfCHOX (Kwasniewski et al. 2021) receives, at half the multiplications of
/// factorise(). A matrix that is not positive definite is no error here: see
/// LuFactorisation::info(). Errors as above, and Error(invalid_argument) if A is not square.
/// @param read  the triangle of A that is read.
template <MatrixElement T>
CUBOID_API LuFactorisation<T> cholesky(const Matrix<T>& A, const LocalKernels& kernels,
                                       const FactoriseOptions& options = {},
                                       Triangle read = Triangle::lower);

/// B ← α·op(A)⁻¹·B, or α·B·op(A)⁻¹ (MatrixSide::right), for one triangle of a square A; the other
/// triangle is not read. The matrices may lie in any layouts. Collective. As in BLAS, a zero on the
/// diagonal divides. Options as for factorise(), but pivoting and layers have no effect: there is
/// one layer. Throws Error(invalid_argument) if shapes do not fit or communicators differ, and what
/// factorise() throws.
template <MatrixElement T>
CUBOID_API void trsm(MatrixSide side, Triangle triangle, Op op, Diagonal diagonal,
                     std::type_identity_t<T> alpha, const Matrix<T>& A, Matrix<T>& B,
                     const LocalKernels& kernels, const FactoriseOptions& options = {});

/// A ← A⁻¹ for one triangle of a square A, in any layout, whose other triangle is neither read nor
/// written (LAPACK's ?trtri). By halves: [B 0; C D]⁻¹ has −D⁻¹·C·B⁻¹ in C's place, two products by
/// trmm(), down to squares on the diagonal, which ranks invert alone: n³/3 operations and what
/// trmm() computes of the other triangle. Takes memory for half of A. NaN and infinities spread as
/// with trmm(). Collective. Throws Error(invalid_argument) if A is not square, or if an element of
/// a stored diagonal is exactly 0 (with its index, before anything is written),
/// Error(out_of_memory), and what communication throws.
template <MatrixElement T>
CUBOID_API void trtri(Triangle triangle, Diagonal diagonal, Matrix<T>& A,
                      const LocalKernels& kernels);

/// Iterative refinement of X ≈ A⁻¹·B in the working precision: X ← X + A⁻¹·(B − A·X) with the
/// factors of A, `steps` times; 0 leaves X as it is. A, B and X may lie in any layouts. Needs
/// memory for one more matrix like X. Collective. Throws Error(invalid_argument) if shapes do not
/// fit or `steps` is negative, and what multiply() and LuFactorisation::solve() throw.
template <MatrixElement T>
CUBOID_API void refine(const LuFactorisation<T>& factors, const Matrix<T>& A, const Matrix<T>& B,
                       Matrix<T>& X, int steps, const LocalKernels& kernels);

/// B ← A⁻¹·B for a square A, which is left as it is, by factorise() and LuFactorisation::solve().
/// Collective. Throws what these two throw.
template <MatrixElement T>
CUBOID_API void solve(const Matrix<T>& A, Matrix<T>& B, const LocalKernels& kernels,
                      const FactoriseOptions& options = {});

}  // namespace cuboid
