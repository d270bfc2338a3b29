#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/qr/dense_matrix.hpp"

#include <cstdint>

namespace cuboid::detail {

/// Q·C for the thin Q = (I − V·T·Vᴴ)·[I; 0] of a LocalQr, not multiplied out: [top; 0] − V·inner.
/// Both have as many rows as Q has columns.
template <MatrixElement T>
struct ThinProduct {
  DenseMatrix<T> top;
  DenseMatrix<T> inner;
};

/// A = Q·R of a matrix within one rank, of any shape: Q as I − V·T·Vᴴ, and R upper trapezoidal with
/// min(rows, columns) rows. One node of a reduction tree. Move-only.
template <MatrixElement T>
class LocalQr {
 public:
  /// Of a matrix that becomes V, in its first min(rows, columns) columns, and is kept by the caller
  /// for as long as this.
  LocalQr(LocalView<T> A, const LocalKernels& kernels);
  /// Of a matrix that it keeps.
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
