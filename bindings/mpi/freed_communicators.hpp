#pragma once

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// A program may free a communicator beside non-blocking collectives, which then complete as if it
/// had not (MPI 3.1, §6.4.3). Open MPI 4.1 crashes in those that it has not completed by itself
/// before, as it does more often than with Cuboid, which waits elsewhere. So the drop-in keeps the
/// last communicators that are freed alive, once it has handed such a collective on.

/// To be called before a non-blocking collective is handed on.
void note_request_handed_on();

/// Frees a communicator as MPI_Comm_free.
int comm_free(MPI_Comm* communicator);

}  // namespace cuboid::detail::drop_in
