#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include "mm/local/on_device.hpp"

#include <algorithm>
#include <cstdint>

namespace cuboid::detail {

/// A panel as a rank's gemm reads it: op(data) has the shape of the panel of op(A) or op(B).
template <class T>
struct Panel {
  const T* data = nullptr;
  std::int64_t leading_dimension = 1;
  Op op = Op::none;

  /// The address of element (i, j) of op(data); none of a panel without elements.
  const T* from(std::int64_t i, std::int64_t j) const {
    if (data == nullptr) return nullptr;
    return op == Op::none ? data + i + j * leading_dimension : data + j + i * leading_dimension;
  }
};

/// The number of rows or columns of C that one gemm call computes while messages travel, for panels
/// of `width`. Each call packs one of the panels again, which costs relatively less if strips are
/// longer. Messages progress only between calls, so they wait longer if panels are wide.
constexpr std::int64_t strip_extent(std::int64_t width) {
  constexpr std::int64_t longest = 1024, shortest = 256, usual_width = 256;
  return std::clamp(longest * usual_width / std::max<std::int64_t>(width, 1), shortest, longest);
}

template <class T>
GemmCall<T> gemm_call(T alpha, const Panel<T>& a, const Panel<T>& b, std::int64_t width, T beta,
                      LocalView<T> C) {
  return {a.op,
          b.op,
          C.rows,
          C.columns,
          width,
          alpha,
          a.data,
          a.leading_dimension,
          b.data,
          b.leading_dimension,
          beta,
          C.data,
          C.leading_dimension};
}

/// C ← α·a·b + β·C for a panel a of `width` columns and a panel b of `width` rows. If a device is
/// faster, it multiplies, and progress() is called until it is done. Otherwise the cores multiply
/// strips along the longer side of C. progress() is called before each strip as long as it returns
/// true, which means that something is in flight. Then the rest is multiplied at once.
template <MatrixElement T, class Progress>
void gemm_in_strips(T alpha, const Panel<T>& a, const Panel<T>& b, std::int64_t width, T beta,
                    LocalView<T> C, const LocalGemm& gemm, const Progress& progress) {
  if (C.rows == 0 || C.columns == 0) return;
  if (width > 0 && alpha != T(0) &&
      multiply_on_device(gemm, gemm_call(alpha, a, b, width, beta, C), GemmProgress(progress)))
    return;
  const bool by_rows = C.rows > C.columns;
  const std::int64_t extent = by_rows ? C.rows : C.columns;
  for (std::int64_t begin = 0; begin < extent;) {
    const std::int64_t rest = extent - begin;
    // The last strip is at least as long as the others.
    const std::int64_t strip_length = strip_extent(width);
    const std::int64_t length = progress() && rest >= 2 * strip_length ? strip_length : rest;
    const std::int64_t i = by_rows ? begin : 0;
    const std::int64_t j = by_rows ? 0 : begin;
    const LocalView<T> strip =
        C.block(i, j, by_rows ? length : C.rows, by_rows ? C.columns : length);
    gemm.on_cores(a.op, b.op, strip.rows, strip.columns, width, alpha, a.from(i, 0),
                  a.leading_dimension, b.from(0, j), b.leading_dimension, beta, strip.data,
                  strip.leading_dimension);
    begin += length;
  }
}

/// The C of a driver, to which panels are added. It stays on a device from the first panel to the
/// last, or gemm_in_strips() adds each panel.
template <MatrixElement T>
class SumOfPanels {
 public:
  /// @param k      the inner dimension of all panels together
  /// @param width  the width of the widest panel
  SumOfPanels(const LocalGemm& gemm, LocalView<T> C, std::int64_t k, std::int64_t width, T beta)
      : gemm_(gemm), resident_(gemm, C, k, width, beta) {}

  /// Adds a product to a part of C, as gemm_in_strips() does. `beta` must be the constructor's beta
  /// for the first panel of a part, and 1 for all others. The panels may be overwritten when the
  /// function returns.
  template <class Progress>
  void add(T alpha, const Panel<T>& a, const Panel<T>& b, std::int64_t width, T beta,
           LocalView<T> part, const Progress& progress) {
    if (resident_.on_device())
      return resident_.add(gemm_call(alpha, a, b, width, beta, part), GemmProgress(progress));
    gemm_in_strips(alpha, a, b, width, beta, part, gemm_, progress);
  }
  /// C ← β·C for a part of C that gets no panel.
  void add_nothing(T beta, LocalView<T> part) {
    if (!resident_.on_device()) scale_anywhere(gemm_, beta, part);
  }
  /// Completes the sum. Call it after the last panel. C is complete when it returns.
  template <class Progress>
  void finish(const Progress& progress) {
    resident_.finish(GemmProgress(progress));
  }

 private:
  LocalGemm gemm_;
  DeviceResidentC<T> resident_;
};

}  // namespace cuboid::detail
