#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/pivoting.hpp>

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// What one rank has of a panel: some of its rows, and what they are numbered in the whole matrix,
/// ascending. Rows of the diagonal block are the first of the rank that has any.
template <MatrixElement T>
struct LuPanelPiece {
  LocalView<T> values;
  std::vector<std::int64_t> rows;
};

/// What all ranks of a panel know of it once it is factorised.
template <MatrixElement T>
struct PanelFactors {
  std::int64_t width = 0;
  /// The rows that become the diagonal block's, in order. Empty without pivoting.
  std::vector<std::int64_t> pivot_rows;
  /// The diagonal block's L and U, width × width, as ?getrf leaves them (without pivoting of a
  /// Hermitian block: L with its diagonal below, Lᴴ above).
  std::vector<T> diagonal;
  /// The first pivot that is exactly 0, counted from 1 in the panel; 0: none is.
  std::int64_t zero_pivot = 0;

  LocalView<const T> block() const { return {diagonal.data(), width, width, width}; }
};

/// How a panel is factorised; each is collective over the ranks that share it, and leaves in the
/// rows of a piece that do not become the diagonal block's their rows of L, where they are.

/// Without pivoting. The diagonal block is whole on rank `owner`.
/// @param hermitian  Cholesky: A = L·Lᴴ; zero_pivot is then of the first minor that is not
/// positive.
template <MatrixElement T>
PanelFactors<T> factorise_panel_unpivoted(const Communicator& communicator, LuPanelPiece<T> piece,
                                          int owner, bool hermitian, const LocalKernels& kernels);

/// With tournament pivoting: every rank's best rows, chosen by partial pivoting among its own, meet
/// in an all-reduce whose operation takes the best of two candidates' rows.
template <MatrixElement T>
PanelFactors<T> factorise_panel_by_tournament(const Communicator& communicator,
                                              LuPanelPiece<T> piece, const LocalKernels& kernels);

/// With partial pivoting: an all-reduce per column finds the row with the largest element and gives
/// it to all.
/// @param begin  the first row of the diagonal block.
template <MatrixElement T>
PanelFactors<T> factorise_panel_partially(const Communicator& communicator, LuPanelPiece<T> piece,
                                          std::int64_t begin, const LocalKernels& kernels);

/// With partial pivoting, where one rank has the whole panel.
template <MatrixElement T>
PanelFactors<T> factorise_panel_alone(LuPanelPiece<T> piece, const LocalKernels& kernels);

/// Rows of L: piece · U⁻¹ for the diagonal block's U, of which a pivot of 0 does not divide.
template <MatrixElement T>
void divide_by_upper(const PanelFactors<T>& factors, LocalView<T> piece,
                     const LocalKernels& kernels);

}  // namespace cuboid::detail
