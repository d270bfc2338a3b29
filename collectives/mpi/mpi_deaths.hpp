#pragma once

#include <vector>

#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace cuboid::detail {

/// The ranks of a communicator whose death MPI has found so far, where it has ULFM; Open MPI's
/// launcher has to be told so, by `--with-ft ulfm`. Receives from anyone go on afterwards.
std::vector<int> take_note_of_deaths(MPI_Comm communicator);

}  // namespace cuboid::detail
