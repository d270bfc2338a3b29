#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/lu/lu_grid.hpp"
#include "mm/lu/lu_outcome.hpp"
#include "models/factorisation/cholesky_schedule.hpp"

namespace cuboid::detail {

/// A = L·Lᴴ by 2.5D Cholesky, in place. Collective over the ranks of the grid.
/// @param parts  this rank's rows and columns of A, distributed by the schedule. Before, the
///               layers' parts sum to A, of which only the lower triangle is read. Afterwards they
///               sum to L in the lower and Lᴴ in the upper triangle, like L\U of
///               factorise_in_layers().
template <MatrixElement T>
LuOutcome cholesky_in_layers(const LuGrid& grid, const CholeskySchedule& schedule,
                             LocalView<T> parts, const LocalKernels& kernels);

}  // namespace cuboid::detail
