#pragma once

#include <chrono>

#include <mpi.h>

namespace cuboid::detail {

/// Throws Error(timeout) with the ranks that do not come within `patience` on every rank that does,
/// and with rank 0 where that does not report; where all come and some are not `ready`, too.
///
/// Two of MPI's collectives that start and are tested: a message on a program's communicator could
/// meet a receive that the program has posted there for any sender and any tag. Only those that
/// rank 0 answers directly, so that no rank waits for another one that is gone. Whatever the
/// outcome, each rank that comes makes the same calls, so that the communicator stays usable.
/// Collective.
/// @param purpose  what comes next, for the error, e.g. "bootstrap"
void call_the_roll(MPI_Comm communicator, const char* purpose, bool ready,
                   std::chrono::duration<double> patience);

}  // namespace cuboid::detail
