#pragma once

#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include <optional>

namespace cuboid::detail {

/// One way to compute C ← α·op(A)·op(B) + β·C for matrices with certain layouts, made ready to run
/// many times: its communicators, memory and plans are made. What each algorithm implements.
template <MatrixElement T>
class Multiplication {
 public:
  virtual ~Multiplication() = default;

  /// Tries what is to be found by trying; else the first run does. Collective.
  virtual void prepare(const LocalGemm&) {}

  /// Multiplies matrices with the layouts that it was made for. Collective. As in BLAS: β = 0 does
  /// not read C, α = 0 or k = 0 does not read A or B.
  virtual PhaseSeconds run(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta, Matrix<T>& C,
                           const LocalGemm& gemm) = 0;

  /// The groups that were found best by trying; nullopt where none were tried.
  virtual std::optional<GroupShape> sampled_groups() const { return std::nullopt; }
};

}  // namespace cuboid::detail
