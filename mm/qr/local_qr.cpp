#include "mm/qr/local_qr.hpp"

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/qr/block_reflector.hpp"

#include <algorithm>
#include <complex>
#include <utility>

namespace cuboid::detail {

template <MatrixElement T>
LocalQr<T>::LocalQr(LocalView<T> A, const LocalKernels& kernels) {
  factorise(A, kernels);
}

template <MatrixElement T>
LocalQr<T>::LocalQr(DenseMatrix<T> A, const LocalKernels& kernels) : kept_(std::move(A)) {
  factorise(kept_.view(), kernels);
}

template <MatrixElement T>
void LocalQr<T>::factorise(LocalView<T> A, const LocalKernels& kernels) {
  const std::int64_t rank = std::min(A.rows, A.columns), right = A.columns - rank;
  vectors_ = A.block(0, 0, A.rows, rank);
  factor_.resize(rank, rank);
  kernels.lapack.geqrt(vectors_, factor_.view());
  triangle_ = DenseMatrix<T>(rank, A.columns);
  for (std::int64_t j = 0; j < rank; ++j)
    std::copy_n(vectors_.column(j), j + 1, triangle_.view().column(j));
  set_unit_upper(vectors_);
  if (rank == 0 || right == 0) return;
  // Columns beyond the last row: C − V·Tᴴ·(VᴴC), which is all R.
  const LocalView<T> rest = A.block(0, rank, rank, right);
  DenseMatrix<T> inner(rank, right), turned(rank, right);
  multiply_views<T>(kernels.gemm, T(1), Op::conjugate_transpose, vectors(), rest, T(0),
                    inner.view());
  multiply_views<T>(kernels.gemm, T(1), Op::conjugate_transpose, factor_.view(), inner.view(), T(0),
                    turned.view());
  const LocalView<T> result = triangle_.view().block(0, rank, rank, right);
  copy<T>(rest, result);
  multiply_views<T>(kernels.gemm, T(-1), Op::none, vectors(), turned.view(), T(1), result);
}

template <MatrixElement T>
ThinProduct<T> LocalQr<T>::product(DenseMatrix<T> C, const LocalGemm& gemm) const {
  const std::int64_t columns = C.view().columns;
  DenseMatrix<T> inner(rank(), columns), turned(rank(), columns);
  if (rank() > 0 && columns > 0) {
    const LocalView<const T> square = vectors().block(0, 0, rank(), rank());
    multiply_views<T>(gemm, T(1), Op::conjugate_transpose, square, C.view(), T(0), inner.view());
    multiply_views<T>(gemm, T(1), Op::none, factor_.view(), inner.view(), T(0), turned.view());
  }
  return {std::move(C), std::move(turned)};
}

template <MatrixElement T>
void LocalQr<T>::multiply_out(const ThinProduct<T>& product, LocalView<T> result,
                              const LocalGemm& gemm) const {
  const std::int64_t top = std::min(rank(), result.rows);
  scale(T(0), result);
  copy<T>(product.top.view().block(0, 0, top, result.columns),
          result.block(0, 0, top, result.columns));
  if (rank() == 0 || result.rows == 0 || result.columns == 0) return;
  multiply_views<T>(gemm, T(-1), Op::none, vectors().block(0, 0, result.rows, rank()),
                    product.inner.view(), T(1), result);
}

#define CUBOID_INSTANTIATE(T) template class LocalQr<T>
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
