#pragma once

#include <cuboid/matrix.hpp>

#include "mm/qr/qr_context.hpp"

namespace cuboid::detail {

/// A = Q·R in place, panel by panel (Demmel et al. 2012, CAQR; Ballard et al. 2014). A panel is
/// factorised by its process column, its reflectors travel along process rows, and all columns
/// right of it are multiplied by I − V·Tᴴ·Vᴴ. The next panel's columns come first; that panel is
/// factorised and travels while the others are updated. Leaves V below the diagonal and R above, T
/// in `block_factors`, and the outcome. Collective over the grid.
template <MatrixElement T>
void factorise_blocks(QrContext<T>& qr);

}  // namespace cuboid::detail
