#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include "mm/qr/dense_matrix.hpp"
#include "mm/qr/qr_context.hpp"
#include "mm/qr/travelling_reflectors.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace cuboid::detail {

/// C ← (I − V·op(T)·Vᴴ)·C for a matrix whose rows are distributed over process columns as V's rows
/// are. VᴴC is summed over the process column. Collective over it.
template <MatrixElement T>
class ReflectorUpdate {
 public:
  explicit ReflectorUpdate(QrContext<T>& qr) : qr_(qr) {}

  /// @param op  none, or conjugate_transpose for Qᴴ.
  /// @param C   this rank's rows, as many as of V; as many columns on every rank of the process
  ///            column.
  void apply(TravellingReflectors<T>& reflectors, Op op, LocalView<T> C,
             const ReflectorStream<T>& stream);

 private:
  QrContext<T>& qr_;
  DenseMatrix<T> sums_, turned_;  // VᴴC and op(T)·VᴴC
};

/// Writes T of all panels, whose V are in `qr` already. VᴴV is summed over the process column.
/// Collective over the grid.
template <MatrixElement T>
void form_block_factors(QrContext<T>& qr, std::span<const T> taus);

/// C ← op(Q)·C, panel by panel, for the Q of the panels and their T in `qr`. Collective over the
/// grid.
/// @param op  none or conjugate_transpose.
/// @param C   this rank's rows, distributed as the matrix's rows; any columns.
/// @param first_column  the first of this rank's columns of C that a step may change, e.g. 0.
template <MatrixElement T>
void apply_reflectors(QrContext<T>& qr, Op op, LocalView<T> C,
                      const std::function<std::int64_t(const PanelStep&)>& first_column);

}  // namespace cuboid::detail
