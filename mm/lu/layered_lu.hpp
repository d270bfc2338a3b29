#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/lu/lu_grid.hpp"
#include "mm/lu/lu_outcome.hpp"
#include "models/factorisation/panel_schedule.hpp"

namespace cuboid::detail {

/// P·A = L·U by 2.5D LU, in place. Collective over the ranks of the grid.
/// @param parts  this rank's rows and columns of A, distributed by the schedule. The layers' parts
///               sum to A before, and to L\U afterwards. Then layer l has the columns of L and rows
///               of U of its slices, layer 0 the diagonal blocks, and zeros are elsewhere.
template <MatrixElement T>
LuOutcome factorise_in_layers(const LuGrid& grid, const PanelSchedule& schedule,
                              const LuMethod& method, LocalView<T> parts,
                              const LocalKernels& kernels);

}  // namespace cuboid::detail
