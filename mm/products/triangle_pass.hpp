#pragma once

#include <cuboid/element.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// A rank update of one triangle of C, as RankUpdate does it, in one pass of SUMMA: every rank
/// receives the panels that it would receive for the whole product, and multiplies only the
/// rectangles that cover the triangle of its part. So that all ranks have equally much of the
/// triangle, the product has short blocks, cyclically distributed; where C has not, it is then
/// redistributed. Functions are collective.
template <MatrixElement T>
class TrianglePass {
 public:
  /// @param C  the layout of the matrix to update, n×n.
  TrianglePass(const Layout& C, const GridShape& grid, std::int64_t panel_width);

  /// The pass on the best grid, if it is predicted to take less time than RankUpdate; nullopt if it
  /// is not, if triangles are too small to be cut, or if the options demand another algorithm.
  /// @param op  of A in the product with mirror(op(A)).
  static std::optional<TrianglePass> sooner_than_blocks(Op op, Op mirror, const Matrix<T>& A,
                                                        const Matrix<T>* B, const Matrix<T>& C,
                                                        const LocalGemm& gemm,
                                                        const MultiplyOptions& options = {});

  /// Arguments as RankUpdate has them. Throws on all ranks Error(out_of_memory) if a rank lacks
  /// memory, before C is written.
  void run(Triangle triangle, Op op, Op mirror, T alpha, const Matrix<T>& A, const Matrix<T>* B,
           T beta, Matrix<T>& C, const LocalGemm& gemm) const;

 private:
  Layout cyclic_;
  std::int64_t panel_width_;
};

}  // namespace cuboid::detail
