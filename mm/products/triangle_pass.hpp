#pragma once

#include <cuboid/element.hpp>
#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include "mm/drivers/summa/summa.hpp"
#include "mm/plan/planner.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A product of a rank update: α·op(left)·op(right). The matrices outlive the update.
template <MatrixElement T>
struct UpdateTerm {
  T alpha;
  const Matrix<T>* left;
  const Matrix<T>* right;
};

/// The plan of a pass over the triangle of an n×n product, if the pass is predicted to take less
/// time than products of the triangle's blocks; nullopt if it is not, if triangles of this size are
/// not cut into blocks, or if the options demand another algorithm. Collective.
/// @param product  the layouts of the whole product.
template <MatrixElement T>
std::optional<PlanCandidate> pass_sooner_than_blocks(const Communicator& communicator,
                                                     const ProductLayouts& product,
                                                     const LocalGemm& gemm,
                                                     const MultiplyOptions& options);

/// One triangle of a sum of products, in one pass of SUMMA: every rank receives the panels that it
/// would receive for the whole sum, and multiplies only the rectangles that cover the triangle of
/// its part. So that all ranks have about the same share of the triangle, the pass computes the sum
/// in short blocks, cyclically distributed. If C's blocks are longer, the sum is redistributed.
/// Functions are collective.
template <MatrixElement T>
class TrianglePass {
 public:
  /// Allocates all memory. Throws on all ranks Error(out_of_memory) if a rank lacks memory.
  /// @param C  the matrix whose layout the sum has, n×n.
  TrianglePass(Triangle triangle, Op left, Op right, std::span<const UpdateTerm<T>> terms,
               const Matrix<T>& C, const GridShape& grid, std::int64_t panel_width);

  /// The sum, in C's layout. Its other triangle is undefined.
  const Matrix<T>& run(std::span<const UpdateTerm<T>> terms, const LocalGemm& gemm);

 private:
  Triangle triangle_;
  Matrix<T> cyclic_;
  std::optional<Matrix<T>> as_c_;  // unset: `cyclic_` has C's layout
  std::vector<std::unique_ptr<SummaMultiplication<T>>> products_;  // one for each term
};

}  // namespace cuboid::detail
