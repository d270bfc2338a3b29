#pragma once

#include "bindings/scalapack/calls/serve.hpp"
#include "mm/products/multiplier.hpp"

namespace cuboid::detail::scalapack {

/// Multiplies by the plans that a context keeps.
template <MatrixElement T>
Multiplier<T> cached_multiplier(Context& context) {
  const auto plan = [&context](const ProductLayouts& product) -> MultiplicationPlan<T>& {
    return context.plans.get<T>(context.ours(), product, local_gemm(context.ours()));
  };
  return {local_gemm(context.ours()),
          {},
          [plan](const ProductLayouts& product) { plan(product); },
          [plan](T alpha, const Operand<T>& A, const Operand<T>& B, T beta, Matrix<T>& C) {
            plan(layouts_of(A, B, C)).run(alpha, A.matrix, B.matrix, beta, C);
          }};
}

}  // namespace cuboid::detail::scalapack
