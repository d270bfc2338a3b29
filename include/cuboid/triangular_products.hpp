#pragma once

#include <cuboid/element.hpp>
#include <cuboid/export.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include <complex>
#include <concepts>
#include <type_traits>

namespace cuboid {

// Products in which one matrix is symmetric, Hermitian or triangular, as in BLAS's level 3. Only
// one triangle of that matrix, with its diagonal, is read or written. Matrices and views may lie in
// any layouts. All functions are collective over the communicator of the matrices. They throw on
// every rank, before anything is written: Error(invalid_argument) if shapes do not fit, a matrix
// that is written shares memory with another one, the communicators differ or the options are
// invalid; Error(out_of_memory) if a rank lacks memory or no plan fits the limit. They also throw
// what communication throws. As in BLAS, β = 0 does not read C, and α = 0 reads neither A nor B.
//
// Where a triangle saves work, it is cut into 4 squares on the diagonal and the rectangles between
// them. Triangles of order 1024 and less are not cut further. Each square and each rectangle is a
// product of its own, by multiply() with the given options. The squares are computed whole. That
// takes 5/8 of the multiplications of a product of full matrices.

/// C ← α·A·Aᵀ + β·C, or α·Aᵀ·A + β·C with an op, in one triangle of an n×n matrix C. A is n×k, with
/// an op k×n. Takes memory for n²/4 elements on all ranks together, and the memory that multiply()
/// takes.
/// @param op  none or transpose (for real matrices also conjugate_transpose, which is the same).
///
///   syrk(Triangle::lower, Op::none, 1.0, A, 0.0, C, gemm);
template <MatrixElement T>
CUBOID_API void syrk(Triangle triangle, Op op, std::type_identity_t<T> alpha, const Matrix<T>& A,
                     std::type_identity_t<T> beta, Matrix<T>& C, const LocalGemm& gemm,
                     const MultiplyOptions& options = {});

/// C ← α·A·Aᴴ + β·C, or α·Aᴴ·A + β·C with an op, as syrk(), for a Hermitian C, whose diagonal
/// becomes real. For real matrices it is syrk().
/// @param op  none or conjugate_transpose (for real matrices also transpose).
template <MatrixElement T>
CUBOID_API void herk(Triangle triangle, Op op, RealOf<T> alpha, const Matrix<T>& A, RealOf<T> beta,
                     Matrix<T>& C, const LocalGemm& gemm, const MultiplyOptions& options = {});

/// C ← α·(A·Bᵀ + B·Aᵀ) + β·C, or α·(Aᵀ·B + Bᵀ·A) + β·C with an op, as syrk(). A and B have the same
/// shape. They share no memory with C, but may be the same matrix.
template <MatrixElement T>
CUBOID_API void syr2k(Triangle triangle, Op op, std::type_identity_t<T> alpha, const Matrix<T>& A,
                      const Matrix<T>& B, std::type_identity_t<T> beta, Matrix<T>& C,
                      const LocalGemm& gemm, const MultiplyOptions& options = {});

/// C ← α·A·Bᴴ + ᾱ·B·Aᴴ + β·C, or α·Aᴴ·B + ᾱ·Bᴴ·A + β·C with an op, as herk() and syr2k().
template <MatrixElement T>
CUBOID_API void her2k(Triangle triangle, Op op, std::type_identity_t<T> alpha, const Matrix<T>& A,
                      const Matrix<T>& B, RealOf<T> beta, Matrix<T>& C, const LocalGemm& gemm,
                      const MultiplyOptions& options = {});

/// C ← α·A·B + β·C, or α·B·A + β·C (MatrixSide::right), for a symmetric A. One triangle of A is
/// read; the other is filled in, in separate memory of A's size. No multiplication is saved.
/// @param side  the side on which A stands.
template <MatrixElement T>
CUBOID_API void symm(MatrixSide side, Triangle triangle, std::type_identity_t<T> alpha,
                     const Matrix<T>& A, const Matrix<T>& B, std::type_identity_t<T> beta,
                     Matrix<T>& C, const LocalGemm& gemm, const MultiplyOptions& options = {});

/// symm() for a Hermitian A; the imaginary parts of its diagonal are not read.
template <MatrixElement T>
CUBOID_API void hemm(MatrixSide side, Triangle triangle, std::type_identity_t<T> alpha,
                     const Matrix<T>& A, const Matrix<T>& B, std::type_identity_t<T> beta,
                     Matrix<T>& C, const LocalGemm& gemm, const MultiplyOptions& options = {});

/// B ← α·op(A)·B, or α·B·op(A) (MatrixSide::right), for a triangular A. Takes memory for one more B
/// and for a quarter of A. The squares on A's diagonal are multiplied with zeros in the other
/// triangle. So where B has a NaN or an infinity, more of its column (right: row) may become NaN
/// than in BLAS.
/// @param side      the side on which op(A) stands.
/// @param diagonal  tells if A's diagonal is read or is all ones.
template <MatrixElement T>
CUBOID_API void trmm(MatrixSide side, Triangle triangle, Op op, Diagonal diagonal,
                     std::type_identity_t<T> alpha, const Matrix<T>& A, Matrix<T>& B,
                     const LocalGemm& gemm, const MultiplyOptions& options = {});

}  // namespace cuboid
