#pragma once

#include <cuboid/element.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include <functional>

namespace cuboid::detail {

/// The multiplication of the blocks of a product with a triangle: by multiply(), or by plans of the
/// caller. Both functions are collective.
template <MatrixElement T>
struct Multiplier {
  const LocalGemm& gemm;
  MultiplyOptions options;
  /// Prepares a product, so that it either has what it needs or throws before anything is written.
  std::function<void(const ProductLayouts&)> prepare;
  /// C ← α·op(A)·op(B) + β·C.
  std::function<void(T alpha, const Operand<T>& A, const Operand<T>& B, T beta, Matrix<T>& C)>
      multiply;
};

/// The layouts of a product.
template <MatrixElement T>
ProductLayouts layouts_of(const Operand<T>& A, const Operand<T>& B, const Matrix<T>& C) {
  return {A.matrix.layout(), A.op, B.matrix.layout(), B.op, C.layout()};
}

}  // namespace cuboid::detail
