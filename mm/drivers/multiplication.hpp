#pragma once

#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include "mm/local/panel_place.hpp"

#include <optional>

namespace cuboid::detail {

/// The interface of all algorithms: computes C ← α·op(A)·op(B) + β·C for matrices with given
/// layouts, many times. Communicators, memory and plans are made once.
template <MatrixElement T>
class Multiplication {
 public:
  virtual ~Multiplication() = default;

  /// Measures what must be chosen by measurement. Without this call the first run does it.
  /// Collective.
  virtual void prepare(const LocalGemm&) {}

  /// Keeps this rank's panels at a place from the next run on. Returns false, and changes nothing,
  /// if the algorithm cannot: only some algorithms multiply matrices in a device's memory. Not
  /// collective: ranks may differ. Throws Error(out_of_memory), and changes nothing.
  virtual bool keep_panels_at(const PanelPlace& place) { return !place.on_device(); }

  /// Multiplies matrices with the layouts that the multiplication was made for. Collective. They
  /// lie in the host's memory unless keep_panels_at() has agreed to a device. As in BLAS: β = 0
  /// does not read C, α = 0 or k = 0 does not read A or B.
  virtual PhaseSeconds run(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta, Matrix<T>& C,
                           const LocalGemm& gemm) = 0;

  /// The groups that were measured as the fastest; nullopt if none were measured.
  virtual std::optional<GroupShape> sampled_groups() const { return std::nullopt; }
};

}  // namespace cuboid::detail
