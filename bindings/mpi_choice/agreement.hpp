#pragma once

#include <cuboid/bootstrap.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// What the ranks of a communicator agree on goes through the MPI beneath, on the program's own
/// communicator: its collectives are called in the same order on all ranks, so none is mistaken
/// for another.

/// Replaces each value by the greatest of all ranks. Collective.
void agree_on_greatest(std::span<std::int64_t> values, MPI_Comm communicator);
void agree_on_greatest(std::span<double> values, MPI_Comm communicator);

/// Cuboid's bootstrap, which never calls what the drop-in has replaced.
std::unique_ptr<Bootstrap> bootstrap_over(MPI_Comm communicator);

}  // namespace cuboid::detail::drop_in
