#pragma once

#include <chrono>

#include <mpi.h>

namespace cuboid::detail {

/// Checks that all ranks come within `patience` and are `ready`. If some do not come, every rank
/// that does throws Error(timeout) that names them; if rank 0 does not report, it names rank 0. If
/// all come and some rank is not `ready`, all throw, too.
///
/// It uses two of MPI's collectives that are started and then tested. A message on a program's
/// communicator could meet a receive that the program has posted there for any sender and any tag.
/// In these collectives rank 0 deals directly with every rank, so no rank waits for another rank
/// that is gone. Whatever the outcome, each rank that comes makes the same calls, so the
/// communicator stays usable. Collective.
/// @param purpose  what comes next, for the error, e.g. "bootstrap"
/// @param ready    false if this rank is not ready for it
void call_the_roll(MPI_Comm communicator, const char* purpose, bool ready,
                   std::chrono::duration<double> patience);

}  // namespace cuboid::detail
