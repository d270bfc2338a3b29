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
      terms_{{alpha, &A, B == nullptr ? &A : B}},
      beta_(beta),
      C_(C),
      blocks_(triangle_blocks(C.n(), triangle, C.layout().rows().block())) {
  const bool hermitian = mirror == Op::conjugate_transpose;
  if (B != nullptr) terms_.push_back({hermitian ? conjugate(alpha) : alpha, B, &A});
}

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
  const auto& [alpha, left, right] = terms_.front();
  if (alpha != T(0)) {
    const auto plan = pass_sooner_than_blocks<T>(
        C_.communicator(), layouts_of<T>({left_, *left}, {right_, *right}, C_), multiplier.gemm,
        multiplier.options);
    if (plan) return prepare_pass(plan->grid, plan->panel_width);
  }
  for (const TriangleBlock& block : blocks_) {
    const MatrixView<T> target = view_of(block);
    for (const UpdateTerm<T>& term : terms_) {
      const MatrixView<T> a = rows_of(*term.left, block.rows),
                          b = rows_of(*term.right, block.columns);
      multiplier.prepare(layouts_of<T>({left_, a}, {right_, b}, target));
    }
    if (block.on_diagonal()) squares_.push_back(new_matrix_like<T>(target));
  }
}

template <MatrixElement T>
void RankUpdate<T>::prepare_pass(const GridShape& grid, std::int64_t panel_width) {
  pass_.emplace(triangle_, left_, right_, terms_, C_, grid, panel_width);
}

template <MatrixElement T>
void RankUpdate<T>::run(const Multiplier<T>& multiplier) {
  if (pass_) return run_pass(multiplier.gemm);
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
void RankUpdate<T>::run_pass(const LocalGemm& gemm) {
  const Matrix<T>& sum = pass_->run(terms_, gemm);
  add_triangle<T>(triangle_, T(1), sum, beta_, C_);
  if (mirror_ == Op::conjugate_transpose) make_diagonal_real<T>(C_);
}

template <MatrixElement T>
void RankUpdate<T>::multiply(const Multiplier<T>& multiplier, const TriangleBlock& block, T beta,
                             Matrix<T>& target) const {
  for (const UpdateTerm<T>& term : terms_) {
    const MatrixView<T> a = rows_of(*term.left, block.rows),
                        b = rows_of(*term.right, block.columns);
    multiplier.multiply(term.alpha, {left_, a}, {right_, b}, &term == &terms_.front() ? beta : T(1),
                        target);
  }
}

#define CUBOID_INSTANTIATE(T) template class RankUpdate<T>
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
