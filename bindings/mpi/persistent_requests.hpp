#pragma once

#include <cuboid/communicator.hpp>

#include "bindings/mpi/host_copies.hpp"
#include "bindings/mpi/job.hpp"

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// Makes a persistent request for a job. The functions below start and free it.
/// @param ours  a communicator for this request alone, because the standard allows ranks to start
///         persistent collectives in different orders
int make_persistent(Communicator ours, Job job, MPI_Request* request);

/// Creates a persistent call on copies of its buffers on devices. A run reads the buffers when it
/// is started, and completes when the results lie on the device. Reports an error if the request
/// cannot be the drop-in's.
int persistent_on_host_copies(MPI_Comm comm, MPI_Request* request, const CallOnCopies& call);

// MPI_Start, MPI_Startall and MPI_Request_free, for requests of any kind.

int start_request(MPI_Request* request);
int start_requests(int count, MPI_Request* requests);
int free_request(MPI_Request* request);

/// False if the program or another library has replaced one of these functions of MPI. Then the
/// native MPI must make all persistent requests.
bool starts_requests();

}  // namespace cuboid::detail::drop_in
