#pragma once

#include <cuboid/bootstrap.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// Agreements of a communicator's ranks by collectives of the native MPI on the program's own
/// communicator. All ranks call that communicator's collectives in the same order, so none of these
/// is mistaken for a call of the program.

/// Replaces each value by its maximum over all ranks. Collective.
void agree_on_greatest(std::span<std::int64_t> values, MPI_Comm communicator);
void agree_on_greatest(std::span<double> values, MPI_Comm communicator);

/// A bootstrap for Cuboid over the communicator. It never calls functions that the drop-in
/// replaces.
std::unique_ptr<Bootstrap> bootstrap_over(MPI_Comm communicator);

}  // namespace cuboid::detail::drop_in
