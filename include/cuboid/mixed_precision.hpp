#pragma once

#include <cuboid/element.hpp>
#include <cuboid/export.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include <concepts>
#include <string_view>

namespace cuboid {

/// The element types for which there is a type of half their precision.
template <class T>
concept DoublePrecision = std::same_as<T, double> || std::same_as<T, std::complex<double>>;

/// The factors that solve_mixed() makes.
enum class MatrixClass {
  general,           ///< P·A = L·U
  positive_definite  ///< A = L·Lᴴ; only A's lower triangle is factorised, but A must be whole
};

/// The method by which solve_mixed() found its solution.
enum class MixedPrecisionMethod {
  refinement,  ///< single precision factors, iterative refinement
  gmres,       ///< iterative refinement, some steps by GMRES because plain steps had come to a halt
  full_precision  ///< factors in double precision, because single precision was of no use
};

/// "refinement", "GMRES" or "full precision".
CUBOID_API std::string_view to_string(MixedPrecisionMethod method);

/// Options of solve_mixed().
struct MixedPrecisionOptions {
  /// Options of both factorisations.
  FactoriseOptions factorise = {};
  MatrixClass matrix = MatrixClass::general;
  /// The largest number of steps of refinement, plain or by GMRES, >= 0. The default is that of
  /// LAPACK's dsgesv.
  int most_steps = 30;
};

/// The outcome of solve_mixed().
struct MixedPrecisionOutcome {
  MixedPrecisionMethod method = MixedPrecisionMethod::refinement;
  int steps = 0;             ///< steps of refinement, including those by GMRES
  int gmres_iterations = 0;  ///< in all steps and right-hand sides
};

/// B ← A⁻¹·B to double precision by factors in single precision, which take half the time and half
/// the words. It repeats X ← X + d with A·d = B − A·X, with residuals in double precision, until
/// for every column ‖b − A·x‖∞ ≤ √n·u·‖A‖∞·‖x‖∞ as in LAPACK's dsgesv (Langou et al. 2006). If a
/// step no longer halves the residual, GMRES on A finds d, with the factors as preconditioner
/// (Carson and Higham 2017). That serves matrices of condition ‖A‖∞·‖A⁻¹‖∞ up to about 10¹⁵. If
/// GMRES fails, too, or if single precision cannot hold A or its factors, A is factorised in double
/// precision, and rank 0 warns and says why. If A or B has a NaN or an infinity, that is done at
/// once, and rank 0 says where it is. A is left as it is; any layouts. Every run gives the same
/// bits.
///
/// Needs memory for A in single precision and its factors, and for three matrices like B. GMRES
/// needs memory for the factors in double precision and up to 100 vectors.
/// Collective over the communicator of A. Throws Error(invalid_argument) if A is not square, if B
/// has not n rows or lies on another communicator, if A is singular, or if most_steps is negative;
/// and what factorise(), cholesky() and multiply() throw.
template <DoublePrecision T>
CUBOID_API MixedPrecisionOutcome solve_mixed(const Matrix<T>& A, Matrix<T>& B,
                                             const LocalKernels& kernels,
                                             const MixedPrecisionOptions& options = {});

}  // namespace cuboid
