#pragma once

#include "bindings/mpi/job.hpp"
#include "bindings/mpi_choice/followed.hpp"

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// Runs a job from start to end. Returns MPI's code of what went wrong, after the communicator's
/// error handler has seen it; MPI_SUCCESS otherwise.
int run(Followed& followed, MPI_Comm communicator, Job& job);

/// Starts a job, and gives a request that every MPI_Wait and MPI_Test takes: a generalized one
/// (MPI 3.1, §12.2), completed at one of the turns that MPI gives.
int start(Followed& followed, MPI_Comm communicator, Job job, MPI_Request* request);

/// What an exception that is in flight means to MPI: reports it to the communicator's error
/// handler, and returns the code.
int report_current_exception(MPI_Comm communicator) noexcept;

}  // namespace cuboid::detail::drop_in
