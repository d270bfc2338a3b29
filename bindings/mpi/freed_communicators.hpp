#pragma once

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// A program may free a communicator while non-blocking collectives are pending on it. They must
/// then complete as if the communicator still existed (MPI 3.1, §6.4.3). Open MPI 4.1 crashes in
/// such collectives if they are still pending when the communicator is freed. So when the drop-in
/// has handed a non-blocking collective on, it keeps the last freed communicators alive.

/// To be called before a non-blocking collective is handed on.
void note_request_handed_on();

/// Frees a communicator like MPI_Comm_free.
int comm_free(MPI_Comm* communicator);

}  // namespace cuboid::detail::drop_in
