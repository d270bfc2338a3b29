#pragma once

#include <cuboid/element.hpp>
#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/products/multiplier.hpp"
#include "mm/products/triangle_pass.hpp"
#include "mm/triangles/triangle_blocks.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// C ← α·op(A)·mirror(op(A)) + β·C in one triangle of an n×n matrix C; with B, C ← α·op(A)·
/// mirror(op(B)) + α'·op(B)·mirror(op(A)) + β·C, where α' is α, of a Hermitian C its conjugate.
/// `mirror` maps C to itself: transpose, or conjugate_transpose. Either one pass of SUMMA goes over
/// the triangle, or its blocks are products of their own: the squares on the diagonal are computed
/// whole in separate memory, the rest in place. Functions are collective.
template <MatrixElement T>
class RankUpdate {
 public:
  /// Matrices fit, C shares no memory with the others, and all outlive the update.
  /// @param op  none, or mirror: A and B are n×k, or k×n.
  RankUpdate(Triangle triangle, Op op, Op mirror, T alpha, const Matrix<T>& A, const Matrix<T>* B,
             T beta, Matrix<T>& C);

  /// Prepares what is predicted to take less time: the pass, or all products, with memory for the
  /// squares. Throws before anything is written.
  void prepare(const Multiplier<T>& multiplier);
  /// Prepares the pass on a grid.
  void prepare_pass(const GridShape& grid, std::int64_t panel_width);
  void run(const Multiplier<T>& multiplier);

 private:
  /// The rows of op(factor) in a range.
  const MatrixView<T> rows_of(const Matrix<T>& factor, const TriangleRange& range) const;
  MatrixView<T> view_of(const TriangleBlock& block) const;
  void multiply(const Multiplier<T>& multiplier, const TriangleBlock& block, T beta,
                Matrix<T>& target) const;
  void run_pass(const LocalGemm& gemm);

  Triangle triangle_;
  Op left_, right_;
  Op mirror_;
  std::vector<UpdateTerm<T>> terms_;
  T beta_;
  Matrix<T>& C_;
  std::vector<TriangleBlock> blocks_;
  std::vector<Matrix<T>> squares_;
  std::optional<TrianglePass<T>> pass_;
};

}  // namespace cuboid::detail
