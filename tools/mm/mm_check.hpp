#pragma once

#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/verify.hpp>

#include <optional>

namespace cuboid::detail::tools {

/// The outcome of --check. The same on every rank.
struct MmCheck {
  Verdict freivalds;
  std::optional<Verdict> reference;  ///< set if one rank had the memory for a product of its own

  bool holds() const { return freivalds.holds() && (!reference || reference->holds()); }
  /// The verdict to report first: a verdict that does not hold, else the sharper one.
  const Verdict& telling() const;
};

/// A finished product C = α·op(A)·op(B) + β·C₀.
template <MatrixElement T>
struct FinishedProduct {
  T alpha;
  Operand<T> A;
  Operand<T> B;
  T beta;
  const Matrix<T>& C0;  ///< not read if β = 0
  const Matrix<T>& C;
};

/// Checks a product by Freivalds' test. If there is enough memory, also compares it with a product
/// on one rank. Collective.
template <MatrixElement T>
MmCheck check_product(const FinishedProduct<T>& product, const LocalGemm& gemm);

}  // namespace cuboid::detail::tools
