#include "mm/lu/panel.hpp"

#include "mm/local/device_factorisation.hpp"
#include "mm/lu/interchange.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <complex>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

template <MatrixElement T>
void divide_by_upper(const PanelFactors<T>& factors, LocalView<T> piece,
                     const LocalKernels& kernels) {
  LocalView<const T> upper = factors.block();
  std::vector<T> without_zeros;
  if (factors.zero_pivot > 0) {
    // The rest of such a column is zero as well, up to rounding; a division would yield NaN.
    without_zeros = factors.diagonal;
    const LocalView<T> copy{without_zeros.data(), factors.width, factors.width, factors.width};
    for (std::int64_t k = 0; k < factors.width; ++k) {
      if (copy(k, k) == T(0)) copy(k, k) = T(1);
    }
    upper = copy;
  }
  kernels.lapack.trsm(MatrixSide::right, Triangle::upper, Op::none, Diagonal::stored, T(1), upper,
                      piece);
}

template <MatrixElement T>
PanelFactors<T> factorise_panel_alone(LuPanelPiece<T> piece, const LocalKernels& kernels) {
  const LocalView<T> values = piece.values;
  const std::int64_t width = values.columns;
  PanelFactors<T> factors{.width = width, .pivot_rows = {}, .diagonal = {}};
  factors.diagonal.resize(static_cast<std::size_t>(width * width));
  std::vector<std::int64_t> swaps(static_cast<std::size_t>(width));
  if (!lu_on_device(kernels.gemm, values, std::span(swaps)))
    factors.zero_pivot = kernels.lapack.getrf(values, swaps);
  copy<T>(values.block(0, 0, width, width),
          LocalView<T>{factors.diagonal.data(), width, width, width});
  // Rows have changed places. Rows that are not the diagonal block's go back to their places.
  const std::vector<std::int64_t> sources = sources_of(swaps, values.rows);
  for (std::int64_t i = 0; i < width; ++i) {
    const std::int64_t source = sources[static_cast<std::size_t>(i)];
    factors.pivot_rows.push_back(piece.rows[static_cast<std::size_t>(source)]);
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> moved;
  for (std::int64_t i = width; i < values.rows; ++i) {
    const std::int64_t source = sources[static_cast<std::size_t>(i)];
    if (source != i) moved.emplace_back(i, source);
  }
  for (std::int64_t j = 0; j < width; ++j) {
    // Elements move from below the diagonal block into it, so their order is free.
    T* const column = values.column(j);
    for (const auto& [now, before] : moved) column[before] = column[now];
  }
  return factors;
}

template PanelFactors<float> factorise_panel_alone(LuPanelPiece<float>, const LocalKernels&);
template PanelFactors<double> factorise_panel_alone(LuPanelPiece<double>, const LocalKernels&);
template PanelFactors<std::complex<float>> factorise_panel_alone(LuPanelPiece<std::complex<float>>,
                                                                 const LocalKernels&);
template PanelFactors<std::complex<double>> factorise_panel_alone(
    LuPanelPiece<std::complex<double>>, const LocalKernels&);
#define CUBOID_INSTANTIATE(T) \
  template void divide_by_upper(const PanelFactors<T>&, LocalView<T>, const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
