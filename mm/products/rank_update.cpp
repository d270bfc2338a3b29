#include "mm/products/rank_update.hpp"

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/triangles/triangles.hpp"

#include <complex>

namespace cuboid::detail {

template <MatrixElement T>
RankUpdate<T>::RankUpdate(Triangle triangle, Op op, Op mirror, T alpha, const Matrix<T>& A,
                          const Matrix<T>* B, T beta, Matrix<T>& C)
    : triangle_(triangle),
      left_(op == Op::none ? Op::none : mirror),
      right_(op == Op::none ? mirror : Op::none),
      mirror_(mirror),
      alpha_(alpha),
      A_(A),
      B_(B),
      beta_(beta),
      C_(C),
      blocks_(triangle_blocks(C.n(), triangle, C.layout().rows().block())) {}

template <MatrixElement T>
const MatrixView<T> RankUpdate<T>::rows_of(const Matrix<T>& factor,
                                           const TriangleRange& range) const {
  const Global<Row> row(left_ == Op::none ? range.begin : 0);
  const Global<Column> column(left_ == Op::none ? 0 : range.begin);
  return left_ == Op::none ? view(factor, row, column, range.length, factor.n())
                           : view(factor, row, column, factor.m(), range.length);
}

template <MatrixElement T>
MatrixView<T> RankUpdate<T>::view_of(const TriangleBlock& block) const {
  return view(C_, Global<Row>(block.rows.begin), Global<Column>(block.columns.begin),
              block.rows.length, block.columns.length);
}

template <MatrixElement T>
void RankUpdate<T>::prepare(const Multiplier<T>& multiplier) {
  for (const TriangleBlock& block : blocks_) {
    const MatrixView<T> target = view_of(block);
    const auto announce = [&](const Matrix<T>& left, const Matrix<T>& right) {
      const MatrixView<T> a = rows_of(left, block.rows), b = rows_of(right, block.columns);
      multiplier.prepare(layouts_of<T>({left_, a}, {right_, b}, target));
    };
    announce(A_, B_ == nullptr ? A_ : *B_);
    if (B_ != nullptr) announce(*B_, A_);
    if (block.on_diagonal()) squares_.push_back(new_matrix_like<T>(target));
  }
}

template <MatrixElement T>
void RankUpdate<T>::run(const Multiplier<T>& multiplier) {
  auto square = squares_.begin();
  for (const TriangleBlock& block : blocks_) {
    MatrixView<T> target = view_of(block);
    if (!block.on_diagonal()) {
      multiply(multiplier, block, beta_, target);
      continue;
    }
    multiply(multiplier, block, T(0), *square);
    add_triangle<T>(triangle_, T(1), *square++, beta_, target);
    if (mirror_ == Op::conjugate_transpose) make_diagonal_real<T>(target);
  }
}

template <MatrixElement T>
void RankUpdate<T>::multiply(const Multiplier<T>& multiplier, const TriangleBlock& block, T beta,
                             Matrix<T>& target) const {
  const auto product = [&](T alpha, const Matrix<T>& left, const Matrix<T>& right, T scale) {
    const MatrixView<T> a = rows_of(left, block.rows), b = rows_of(right, block.columns);
    multiplier.multiply(alpha, {left_, a}, {right_, b}, scale, target);
  };
  product(alpha_, A_, B_ == nullptr ? A_ : *B_, beta);
  const bool hermitian = mirror_ == Op::conjugate_transpose;
  if (B_ != nullptr) product(hermitian ? conjugate(alpha_) : alpha_, *B_, A_, T(1));
}

#define CUBOID_INSTANTIATE(T) template class RankUpdate<T>
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
