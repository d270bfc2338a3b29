#pragma once

#include <cuboid/element.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/products/multiplier.hpp"
#include "mm/triangles/triangle_blocks.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// α·A·B, or α·B·A with MatrixSide::right.
template <MatrixElement T>
void multiply_by_side(const Multiplier<T>& multiplier, MatrixSide side, T alpha,
                      const Operand<T>& A, const Matrix<T>& B, T beta, Matrix<T>& C) {
  const Operand<T> other(B);
  const bool left = side == MatrixSide::left;
  multiplier.multiply(alpha, left ? A : other, left ? other : A, beta, C);
}
template <MatrixElement T>
void prepare_by_side(const Multiplier<T>& multiplier, MatrixSide side, const Operand<T>& A,
                     const Matrix<T>& B, const Matrix<T>& C) {
  const Operand<T> other(B);
  const bool left = side == MatrixSide::left;
  multiplier.prepare(layouts_of(left ? A : other, left ? other : A, C));
}

/// C ← α·A·B + β·C, or α·B·A + β·C, for a symmetric or Hermitian A of which one triangle is read:
/// the other is filled in, in separate memory. Functions are collective.
template <MatrixElement T>
class SymmetricProduct {
 public:
  /// Matrices fit, C shares no memory with the others, and all outlive the product.
  /// @param mirror  maps A to itself: transpose, or conjugate_transpose.
  SymmetricProduct(MatrixSide side, Triangle triangle, Op mirror, T alpha, const Matrix<T>& A,
                   const Matrix<T>& B, T beta, Matrix<T>& C)
      : side_(side),
        triangle_(triangle),
        mirror_(mirror),
        alpha_(alpha),
        A_(A),
        B_(B),
        beta_(beta),
        C_(C) {}

  /// Prepares the product and fills in A's other triangle. Throws before anything is written.
  void prepare(const Multiplier<T>& multiplier);
  void run(const Multiplier<T>& multiplier);

 private:
  MatrixSide side_;
  Triangle triangle_;
  Op mirror_;
  T alpha_;
  const Matrix<T>& A_;
  const Matrix<T>& B_;
  T beta_;
  Matrix<T>& C_;
  std::optional<Matrix<T>> whole_;
};

/// B ← α·op(A)·B, or α·B·op(A), for a triangular A. Squares on A's diagonal are copied, with zeros
/// in the other triangle; the rest is multiplied where it lies. Functions are collective.
template <MatrixElement T>
class TriangularProduct {
 public:
  /// Matrices fit, B shares no memory with A, and both outlive the product.
  TriangularProduct(MatrixSide side, Triangle triangle, Op op, Diagonal diagonal, T alpha,
                    const Matrix<T>& A, Matrix<T>& B);

  /// Prepares the products, copies the squares and allocates memory for the product. Throws before
  /// anything is written.
  void prepare(const Multiplier<T>& multiplier);
  void run(const Multiplier<T>& multiplier);

 private:
  /// The rows of B (columns, if A is on the right) that a block of A multiplies, and the rows of
  /// the product to which the result is added.
  struct Meets {
    TriangleRange from;
    TriangleRange to;
  };
  Meets ranges_of(const TriangleBlock& block) const {
    const bool by_rows = (side_ == MatrixSide::left) == (op_ == Op::none);
    return by_rows ? Meets{block.columns, block.rows} : Meets{block.rows, block.columns};
  }
  const MatrixView<T> block_of_a(const TriangleBlock& block) const;
  MatrixView<T> slice(Matrix<T>& matrix, const TriangleRange& range) const;

  MatrixSide side_;
  Triangle triangle_;
  Op op_;
  Diagonal diagonal_;
  T alpha_;
  const Matrix<T>& A_;
  Matrix<T>& B_;
  std::vector<TriangleBlock> blocks_;
  std::vector<Matrix<T>> squares_;
  std::optional<Matrix<T>> product_;
};

}  // namespace cuboid::detail
