#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/qr/dense_matrix.hpp"

#include <cstdint>

namespace cuboid::detail {

/// The product Q·C of the thin Q = (I − V·T·Vᴴ)·[I; 0] of a LocalQr, not multiplied out: [top; 0] −
/// V·inner. Both matrices have as many rows as Q has columns.
template <MatrixElement T>
struct ThinProduct {
  DenseMatrix<T> top;
  DenseMatrix<T> inner;
};

/// A = Q·R of a matrix of any shape within one rank: Q as I − V·T·Vᴴ, and R upper trapezoidal with
/// min(rows, columns) rows. One node of a reduction tree. Move-only.
template <MatrixElement T>
class LocalQr {
 public:
  /// Factorises the caller's matrix, whose first min(rows, columns) columns become V. It must
  /// outlive this object.
  LocalQr(LocalView<T> A, const LocalKernels& kernels);
  /// Factorises a matrix that this object owns.
  LocalQr(DenseMatrix<T> A, const LocalKernels& kernels);
  LocalQr(LocalQr&&) noexcept = default;
  LocalQr& operator=(LocalQr&&) noexcept = default;

  /// V, rows × min(rows, columns), with ones on its diagonal and zeros above.
  LocalView<const T> vectors() const { return vectors_; }
  /// R, with zeros below its diagonal.
  LocalView<const T> triangle() const { return triangle_.view(); }
  std::int64_t rank() const { return vectors_.columns; }

  /// Q·C for a C with as many rows as R.
  ThinProduct<T> product(DenseMatrix<T> C, const LocalGemm& gemm) const;
  /// [top; 0] − V·inner for the first rows of V, as many as `result` has.
  void multiply_out(const ThinProduct<T>& product, LocalView<T> result,
                    const LocalGemm& gemm) const;

 private:
  void factorise(LocalView<T> A, const LocalKernels& kernels);

  DenseMatrix<T> kept_;  // empty if the caller keeps V
  LocalView<T> vectors_;
  DenseMatrix<T> factor_;  // T
  DenseMatrix<T> triangle_;
};

}  // namespace cuboid::detail
