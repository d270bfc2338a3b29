#pragma once

#include <cuboid/element.hpp>
#include <cuboid/export.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include <concepts>
#include <string_view>

namespace cuboid {

/// The element types that have another of half their precision.
template <class T>
concept DoublePrecision = std::same_as<T, double> || std::same_as<T, std::complex<double>>;

/// Which factors solve_mixed() makes.
enum class MatrixClass {
  general,           ///< P·A = L·U
  positive_definite  ///< A = L·Lᴴ; only A's lower triangle is factorised, but A must be whole
};

/// How solve_mixed() came to its solution.
enum class MixedPrecisionMethod {
  refinement,     ///< single precision factors, iterative refinement
  gmres,          ///< some steps of it by GMRES, where plain steps had come to a halt
  full_precision  ///< factors in double precision: single precision was of no use
};

/// "refinement", "GMRES" or "full precision".
CUBOID_API std::string_view to_string(MixedPrecisionMethod method);

/// Options of solve_mixed().
struct MixedPrecisionOptions {
  /// Of both factorisations.
  FactoriseOptions factorise = {};
  MatrixClass matrix = MatrixClass::general;
  /// Steps of refinement at most, of either kind, >= 0; as many as LAPACK's dsgesv takes.
  int most_steps = 30;
};

/// What solve_mixed() did.
struct MixedPrecisionOutcome {
  MixedPrecisionMethod method = MixedPrecisionMethod::refinement;
  int steps = 0;             ///< of refinement, GMRES's included
  int gmres_iterations = 0;  ///< in all steps and right-hand sides
};

/// B ← A⁻¹·B to double precision by factors in single precision, which take half the time and half
/// the words: X ← X + d with A·d = B − A·X, residuals in double precision, until for every column
/// ‖b − A·x‖∞ ≤ √n·u·‖A‖∞·‖x‖∞ as in LAPACK's dsgesv (Langou et al. 2006). Where a step no longer
/// halves the residual, d is found by GMRES on A with the factors as preconditioner (Carson and
/// Higham 2017), which serves matrices of condition ‖A‖∞·‖A⁻¹‖∞ up to about 10¹⁵. Where that
/// fails, too, or single precision cannot hold A or its factors, A is factorised in double
/// precision, and rank 0 warns. A is left as it is; any layouts. Same bits every run.
///
/// Needs memory for A in single precision beside its factors, and for three matrices like B; GMRES
/// for the factors in double precision and up to 100 vectors.
/// Collective over the communicator of A. Throws Error(invalid_argument) where A is not square, B
/// has not n rows or lies on another communicator, A is singular, or most_steps is negative; and
/// what factorise(), cholesky() and multiply() throw.
template <DoublePrecision T>
CUBOID_API MixedPrecisionOutcome solve_mixed(const Matrix<T>& A, Matrix<T>& B,
                                             const LocalKernels& kernels,
                                             const MixedPrecisionOptions& options = {});

}  // namespace cuboid
