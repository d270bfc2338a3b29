#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/qr/qr_tree.hpp"

namespace cuboid::detail {

/// One rank's part of a panel, a tall matrix whose rows are spread over a process column.
template <MatrixElement T>
struct QrPanelPiece {
  LocalView<T> values;   ///< the rank's rows of the panel
  LocalView<T> vectors;  ///< the rank's rows of V, in the same shape
  LocalView<T> factor;   ///< width × width: T
};

/// Panel = Q·R by TSQR (Demmel et al. 2012), with Q as Householder vectors (Ballard et al. 2014).
/// The ranks' own factors R go up a binomial tree, the thin Q comes down it, and its first rows
/// determine the vectors. Each piece of the panel becomes what LAPACK's ?geqrf leaves: V below the
/// diagonal, R on and above it. `vectors` gets V with its ones and zeros, `factor` gets T of Q = I
/// − V·T·Vᴴ on every rank. The tree is the same in every run, and so are the bits.
///
/// Collective over the process column, also for ranks without rows. There are 3·⌈log2⌉ messages of
/// at most width² words one after the other.
/// @param tree  the tree of the panel.
/// @param root  the rank in the column that has the panel's first rows, at least `width`.
template <MatrixElement T>
void factorise_qr_panel(const Communicator& column, const QrTree& tree, int root,
                        const QrPanelPiece<T>& piece, const LocalKernels& kernels);

}  // namespace cuboid::detail
