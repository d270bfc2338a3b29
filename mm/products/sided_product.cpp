#include "mm/products/sided_product.hpp"

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/triangles/triangles.hpp"

#include <complex>
#include <utility>

namespace cuboid::detail {

template <MatrixElement T>
void SymmetricProduct<T>::prepare(const Multiplier<T>& multiplier) {
  prepare_by_side<T>(multiplier, side_, A_, B_, C_);
  whole_ = mirrored<T>(A_, triangle_, mirror_);
}

template <MatrixElement T>
void SymmetricProduct<T>::run(const Multiplier<T>& multiplier) {
  multiply_by_side<T>(multiplier, side_, alpha_, *whole_, B_, beta_, C_);
}

template <MatrixElement T>
TriangularProduct<T>::TriangularProduct(MatrixSide side, Triangle triangle, Op op,
                                        Diagonal diagonal, T alpha, const Matrix<T>& A,
                                        Matrix<T>& B)
    : side_(side),
      triangle_(triangle),
      op_(op),
      diagonal_(diagonal),
      alpha_(alpha),
      A_(A),
      B_(B),
      blocks_(triangle_blocks(A.n(), triangle, A.layout().rows().block())) {}

template <MatrixElement T>
const MatrixView<T> TriangularProduct<T>::block_of_a(const TriangleBlock& block) const {
  return view(A_, Global<Row>(block.rows.begin), Global<Column>(block.columns.begin),
              block.rows.length, block.columns.length);
}

template <MatrixElement T>
MatrixView<T> TriangularProduct<T>::slice(Matrix<T>& matrix, const TriangleRange& range) const {
  if (side_ == MatrixSide::left)
    return view(matrix, Global<Row>(range.begin), Global<Column>(0), range.length, matrix.n());
  return view(matrix, Global<Row>(0), Global<Column>(range.begin), matrix.m(), range.length);
}

template <MatrixElement T>
void TriangularProduct<T>::prepare(const Multiplier<T>& multiplier) {
  product_ = new_matrix_like<T>(B_);
  for (const TriangleBlock& block : blocks_) {
    const MatrixView<T> a = block_of_a(block);
    const auto [from, to] = ranges_of(block);
    prepare_by_side<T>(multiplier, side_, {op_, a}, slice(B_, from), slice(*product_, to));
    if (block.on_diagonal()) squares_.push_back(with_zeros<T>(a, triangle_, diagonal_));
  }
}

template <MatrixElement T>
void TriangularProduct<T>::run(const Multiplier<T>& multiplier) {
  auto square = squares_.begin();
  for (const TriangleBlock& block : blocks_) {
    const MatrixView<T> a = block_of_a(block);
    const auto [from, to] = ranges_of(block);
    MatrixView<T> target = slice(*product_, to);
    // Squares come first: each row of the product begins with its square's.
    const bool first = block.on_diagonal();
    const Matrix<T>* const factor = first ? &*square++ : &static_cast<const Matrix<T>&>(a);
    multiply_by_side<T>(multiplier, side_, alpha_, {op_, *factor}, slice(B_, from),
                        first ? T(0) : T(1), target);
  }
  copy<T>(std::as_const(*product_).local(), B_.local());
}

#define CUBOID_INSTANTIATE(T)         \
  template class SymmetricProduct<T>; \
  template class TriangularProduct<T>
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
