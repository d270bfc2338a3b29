#pragma once

#include <vector>

#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace cuboid::detail {

/// The ranks of a communicator that MPI has found dead so far; none if this MPI lacks ULFM. Open
/// MPI's launcher must be told to use it by `--with-ft ulfm`. Acknowledges these deaths, so that
/// receives from any source can go on.
std::vector<int> take_note_of_deaths(MPI_Comm communicator);

}  // namespace cuboid::detail
