#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// One rank's part of a panel: some of its rows, and their numbers in the whole matrix, in
/// ascending order. Rows of the diagonal block are the first rows of the rank that has any.
template <MatrixElement T>
struct LuPanelPiece {
  LocalView<T> values;
  std::vector<std::int64_t> rows;
};

/// What all ranks of a panel know once it is factorised.
template <MatrixElement T>
struct PanelFactors {
  std::int64_t width = 0;
  /// The rows that become the diagonal block's, in order. Empty without pivoting.
  std::vector<std::int64_t> pivot_rows;
  /// The diagonal block's L and U, width × width, as ?getrf leaves them (without pivoting of a
  /// Hermitian block: L with its diagonal below, Lᴴ above).
  std::vector<T> diagonal;
  /// The first pivot that is exactly 0, counted from 1 in the panel; 0 if there is none.
  std::int64_t zero_pivot = 0;

  LocalView<const T> block() const { return {diagonal.data(), width, width, width}; }
};

/// Ways to factorise a panel. Each is collective over the ranks that share the panel. Rows of a
/// piece that do not become the diagonal block's get their rows of L, in place.

/// Without pivoting. The diagonal block is whole on rank `owner`.
/// @param hermitian  Cholesky: A = L·Lᴴ; zero_pivot is then of the first minor that is not
/// positive.
template <MatrixElement T>
PanelFactors<T> factorise_panel_unpivoted(const Communicator& communicator, LuPanelPiece<T> piece,
                                          int owner, bool hermitian, const LocalKernels& kernels);

/// With tournament pivoting: every rank chooses its best rows by partial pivoting among its own.
/// They meet in an all-reduce, whose operation takes the best rows of two candidates.
template <MatrixElement T>
PanelFactors<T> factorise_panel_by_tournament(const Communicator& communicator,
                                              LuPanelPiece<T> piece, const LocalKernels& kernels);

/// With partial pivoting: an all-reduce per column finds the row with the largest element and gives
/// it to all.
/// @param begin  the first row of the diagonal block.
template <MatrixElement T>
PanelFactors<T> factorise_panel_partially(const Communicator& communicator, LuPanelPiece<T> piece,
                                          std::int64_t begin, const LocalKernels& kernels);

/// With partial pivoting, if one rank has the whole panel.
template <MatrixElement T>
PanelFactors<T> factorise_panel_alone(LuPanelPiece<T> piece, const LocalKernels& kernels);

/// Rows of L: piece · U⁻¹ for the diagonal block's U; a pivot of 0 does not divide.
template <MatrixElement T>
void divide_by_upper(const PanelFactors<T>& factors, LocalView<T> piece,
                     const LocalKernels& kernels);

}  // namespace cuboid::detail
