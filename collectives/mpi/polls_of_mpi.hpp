#pragma once

namespace cuboid::detail {

/// True if MPI calls other libraries while it waits: Open MPI does.
bool mpi_gives_turns();

/// Has MPI call `turn` at every poll, on the thread that polls; `turn` returns the number of events
/// that it has handled. Once for each function, and only if mpi_gives_turns().
void take_turns(int (*turn)());
/// Ends this, before MPI is finalised.
void take_no_more_turns(int (*turn)());

}  // namespace cuboid::detail
