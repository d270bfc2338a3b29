#include <cuboid/collectives.hpp>

#include "mm/local/unpivoted_lu.hpp"
#include "mm/lu/panel.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <complex>

namespace cuboid::detail {

namespace {

/// Factorises a Hermitian block: L in its lower triangle, Lᴴ in its upper triangle.
template <MatrixElement T>
std::int64_t factorise_hermitian(LocalView<T> block, const LocalKernels& kernels) {
  const std::int64_t zero = kernels.lapack.potrf(Triangle::lower, block);
  for (std::int64_t j = 0; j < block.columns; ++j) {
    for (std::int64_t i = 0; i < j; ++i) block(i, j) = conjugate(block(j, i));
  }
  return zero;
}

}  // namespace

template <MatrixElement T>
PanelFactors<T> factorise_panel_unpivoted(const Communicator& communicator, LuPanelPiece<T> piece,
                                          int owner, bool hermitian, const LocalKernels& kernels) {
  const std::int64_t width = piece.values.columns;
  const bool own = communicator.rank() == owner;
  PanelFactors<T> factors{.width = width, .pivot_rows = {}, .diagonal = {}};
  // One element more says whether a pivot was 0.
  factors.diagonal.resize(static_cast<std::size_t>(width * width + 1));
  if (own) {
    const LocalView<T> block{factors.diagonal.data(), width, width, width};
    copy<T>(piece.values.block(0, 0, width, width), block);
    const std::int64_t zero = hermitian ? factorise_hermitian(block, kernels)
                                        : factorise_without_pivoting(block, kernels);
    factors.diagonal.back() = T(static_cast<RealOf<T>>(zero));
  }
  broadcast(communicator, factors.diagonal, owner);
  factors.zero_pivot = static_cast<std::int64_t>(std::real(factors.diagonal.back()));
  factors.diagonal.pop_back();
  const std::int64_t top = own ? width : 0;
  divide_by_upper(factors, piece.values.block(top, 0, piece.values.rows - top, width), kernels);
  return factors;
}

#define CUBOID_FOR(T)                                                                           \
  template PanelFactors<T> factorise_panel_unpivoted(const Communicator&, LuPanelPiece<T>, int, \
                                                     bool, const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
