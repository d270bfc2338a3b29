#pragma once

#include <cuboid/matrix.hpp>
#include <cuboid/op.hpp>
#include <cuboid/placement.hpp>

#include "mm/decompositions/layered_grid.hpp"
#include "mm/lapack/local_lapack.hpp"
#include "mm/lu/layered_lu.hpp"
#include "mm/lu/pivoting.hpp"
#include "models/factorisation/lu_costs.hpp"

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace cuboid::detail {

/// What a factorisation leaves open.
struct FactoriseOptions {
  Pivoting pivoting = Pivoting::tournament;
  /// Rows and columns of a layer of the grid. Unset: the soonest done.
  std::optional<GridShape> grid = std::nullopt;
  /// Layers, >= 1; each has a copy's worth of memory. Unset: as many as make it soonest done.
  std::optional<int> layers = std::nullopt;
  /// Rows and columns of a block, >= 1. Unset: the soonest done.
  std::optional<std::int64_t> block = std::nullopt;
  /// Bytes per rank for the factors and the panels. Unset: no limit.
  std::optional<std::int64_t> memory_limit = std::nullopt;
};

/// How a matrix is factorised: the grid and the block, and what that takes.
struct FactorisePlan {
  LayeredGrid grid{1, 1, 1};
  std::int64_t block = 1;
  std::int64_t memory_bytes = 0;  ///< of the busiest rank: its part of each copy, and panels
  LuSecondsEstimate seconds = {};
  LuCommunication communication = {};  ///< words and messages per rank
  bool fits = true;                    ///< the memory limit

  LuSchedule schedule(std::int64_t m, std::int64_t n) const {
    return {m, n, block, grid.rows(), grid.columns(), grid.layers()};
  }
};

/// What is to be planned, for whom.
struct FactoriseRequest {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::size_t element_bytes = sizeof(double);
  int ranks = 1;
  LuRates rates = {};
  /// Where the ranks are on a torus or mesh: grids are laid on it so that their lines are its own.
  std::optional<Placement> placement = std::nullopt;
};

/// The request of the ranks of a communicator. It depends on the network, and on nothing that is
/// measured meanwhile: the same every run, as plans and so bits must be. Not collective; the same
/// on every rank.
template <MatrixElement T>
FactoriseRequest factorise_request(const Communicator& communicator, std::int64_t m,
                                   std::int64_t n);

/// Every grid, number of layers and block that the options allow, priced by lu_seconds(), soonest
/// done first; those that do not fit the memory limit last. Pure. Throws Error(invalid_argument)
/// for options that make no sense for so many ranks.
std::vector<FactorisePlan> factorise_candidates(const FactoriseRequest& request,
                                                const FactoriseOptions& options);

/// The first of them. Throws as that does, and Error(out_of_memory) where nothing fits the limit,
/// saying what would.
FactorisePlan plan_factorisation(const FactoriseRequest& request, const FactoriseOptions& options);

/// A table of candidates to read.
std::string explain(const std::vector<FactorisePlan>& candidates);

/// How a factorisation on that plan wants its matrix to lie: then nothing is moved beforehand.
Layout factorisation_layout(std::int64_t m, std::int64_t n, const FactorisePlan& plan);

/// The determinant of a matrix: sign · e^logarithm. Zero: sign 0, logarithm minus infinity.
template <MatrixElement T>
struct Determinant {
  T sign = T(1);                 ///< of a complex matrix a number of modulus 1
  double logarithm_of_size = 0;  ///< ln |det|
};

/// The factors of a matrix, kept on the ranks that made them: P·A = L·U, or A = L·Lᴴ. Made by
/// factorise() and cholesky(). Move-only. Its functions are collective over the communicator of the
/// matrix, and return the same on every rank, unless they say otherwise.
template <MatrixElement T>
class LuFactorisation {
 public:
  LuFactorisation(LuFactorisation&&) noexcept;
  LuFactorisation& operator=(LuFactorisation&&) noexcept;
  ~LuFactorisation();

  std::int64_t m() const;
  std::int64_t n() const;
  const FactorisePlan& plan() const;
  Pivoting pivoting() const;
  bool is_cholesky() const;

  /// LAPACK's IPIV, but from 0: row k was swapped with row pivots()[k], for k = 0, 1, … in turn.
  /// min(m, n) numbers, those of a factorisation without pivoting k itself. Not collective.
  std::span<const std::int64_t> pivots() const;
  /// LAPACK's info: 0, or k where U(k, k), counted from 1, is exactly 0 (Cholesky: the leading
  /// minor of order k is not positive definite). U is singular then, and solve() refuses. Not
  /// collective.
  std::int64_t info() const;
  /// Whether U's diagonal has neither NaN nor infinity, as it has where A had or, without pivoting,
  /// a pivot was too small. The first rank then warns when the factors are made. Not collective.
  bool is_finite() const;
  /// Where the factorisation's time went and what it sent, on this rank. Not collective.
  const LuSeconds& seconds() const;
  const LuTraffic& traffic() const;

  /// L and U as ?getrf leaves them in one matrix (L's unit diagonal is not stored); of Cholesky L
  /// in the lower triangle and Lᴴ in the upper. Throws Error(invalid_argument) where `factors` is
  /// not m×n or on another communicator.
  void copy_to(Matrix<T>& factors) const;

  /// B ← op(A)⁻¹·B for any number of right-hand sides, in any layout; A square. Throws
  /// Error(invalid_argument) where A is not square, B has not n rows or lies on another
  /// communicator, or A is singular (with the index of the pivot).
  void solve(Matrix<T>& B, Op op = Op::none) const;

  /// Of a square matrix. Throws Error(invalid_argument) for another.
  Determinant<T> determinant() const;

  /// An estimate of 1 / (‖A‖₁·‖A⁻¹‖₁), nearly always within a factor of 3 (Higham 1988, as
  /// ?gecon): 0 for a singular matrix. Costs some five solves. Throws Error(invalid_argument) for a
  /// matrix that is not square.
  RealOf<T> reciprocal_condition() const;
  /// ‖A‖₁ of the matrix that was factorised. Not collective.
  RealOf<T> one_norm() const;

  struct State;
  explicit LuFactorisation(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

/// P·A = L·U by 2.5D LU (Solomonik, Bhatele and Demmel 2012, §3.1.3 and §3.1.4) on c layers of a
/// P×Q grid; with one layer 2-D LU. A may lie in any layout and is left as it is. Collective over
/// its communicator; ranks outside the grid wait. The same bits on every run.
///
///   const auto factors = factorise(A, kernels);
///   factors.solve(B);
///
/// Every rank receives about 2mn/√(P·c) words in 3·min(m, n)/block steps of few messages each
/// (Pivoting::partial: one more per column). Memory per rank: c·mn/P words, and panels. A singular
/// matrix is no error here: see LuFactorisation::info(). Throws what plan_factorisation() does,
/// Error(out_of_memory) on every rank when one has no room, and what communication throws.
template <MatrixElement T>
LuFactorisation<T> factorise(const Matrix<T>& A, const LocalKernels& kernels,
                             const FactoriseOptions& options = {});

/// The same on a plan, whose grid and block are taken as they are. Throws Error(invalid_argument)
/// where its grid has more ranks than there are.
template <MatrixElement T>
LuFactorisation<T> factorise(const Matrix<T>& A, const LocalKernels& kernels,
                             const FactorisePlan& plan, Pivoting pivoting);

/// A = L·Lᴴ for a Hermitian (real: symmetric) positive definite matrix by the same schedule without
/// pivoting; only A's lower triangle is read, options.pivoting is left aside. Errors as above, and
/// Error(invalid_argument) where A is not square.
template <MatrixElement T>
LuFactorisation<T> cholesky(const Matrix<T>& A, const LocalKernels& kernels,
                            const FactoriseOptions& options = {});

/// B ← α·op(A)⁻¹·B, or α·B·op(A)⁻¹ (MatrixSide::right), for one triangle of a square A, of which
/// the other is not read; matrices in any layouts. Collective. A zero on the diagonal divides, as
/// in BLAS. Options as for factorise(), pivoting aside. Throws Error(invalid_argument) where shapes
/// do not fit or communicators differ, and what factorise() does.
template <MatrixElement T>
void trsm(MatrixSide side, Triangle triangle, Op op, Diagonal diagonal,
          std::type_identity_t<T> alpha, const Matrix<T>& A, Matrix<T>& B,
          const LocalKernels& kernels, const FactoriseOptions& options = {});

/// Iterative refinement of X ≈ A⁻¹·B in the working precision: X ← X + A⁻¹·(B − A·X) with the
/// factors of A, `steps` times. Collective. Throws Error(invalid_argument) where shapes do not fit,
/// and what multiply() and LuFactorisation::solve() throw.
template <MatrixElement T>
void refine(const LuFactorisation<T>& factors, const Matrix<T>& A, const Matrix<T>& B, Matrix<T>& X,
            int steps, const LocalKernels& kernels);

/// B ← A⁻¹·B by factorise() and LuFactorisation::solve(). Throws what they do.
template <MatrixElement T>
void solve(const Matrix<T>& A, Matrix<T>& B, const LocalKernels& kernels,
           const FactoriseOptions& options = {});

}  // namespace cuboid::detail
