#pragma once

#include "bindings/dropin/communicator_record.hpp"
#include "bindings/mpi/job.hpp"

#include <functional>
#include <optional>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// Runs a job to completion. After an error it calls the communicator's error handler and returns
/// MPI's error code; otherwise it returns MPI_SUCCESS.
int run(CommunicatorRecord& record, MPI_Comm communicator, Job& job);

/// Asked at MPI's polls, with the lock held: MPI's code of a call if it is complete. It throws what
/// has failed.
using Look = std::function<std::optional<int>()>;

/// Makes a generalized request (MPI 3.1, §12.2), which every MPI_Wait and MPI_Test accepts. It
/// completes with what `look` returns. The caller must hold the lock.
int make_request(Look look, MPI_Request* request);

/// Starts a job and makes a generalized request for it.
int start(CommunicatorRecord& record, MPI_Comm communicator, Job job, MPI_Request* request);

/// Returns MPI's code for the exception in flight, and prints its text to standard error.
int code_of_current_exception() noexcept;

/// Reports the exception in flight to the communicator's error handler and returns MPI's error
/// code.
int report_current_exception(MPI_Comm communicator) noexcept;

}  // namespace cuboid::detail::drop_in
