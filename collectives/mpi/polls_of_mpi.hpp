#pragma once

namespace cuboid::detail {

/// True if MPI can call other libraries while it waits. Open MPI can.
bool mpi_gives_turns();

/// Makes MPI call `turn` at every poll, on the thread that polls. `turn` returns the number of
/// events that it has handled. To be called once for each function, and only if mpi_gives_turns().
void take_turns(int (*turn)());
/// Ends these calls. To be called before MPI is finalised.
void take_no_more_turns(int (*turn)());

}  // namespace cuboid::detail
