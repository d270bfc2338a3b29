#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include "collectives/mpi/polls_of_mpi.hpp"

#include <functional>

namespace cuboid::detail::drop_in {

/// Cuboid makes progress while a rank waits in MPI, and MPI makes progress while a rank waits in
/// Cuboid. Otherwise a correct program could wait forever. If MPI gives no turns
/// (polls_of_mpi.hpp), a thread makes Cuboid's progress, and non-blocking collectives are handed
/// on.

/// From now on this communicator, and all that share its transport, make progress while MPI waits.
void keep_going(const Communicator& world);
/// Releases all of them; afterwards Cuboid makes no progress by itself.
void stop_going();

/// Calls `look` at every poll of MPI until it returns true. For requests in flight; to be called
/// while holding the lock.
void look_at_every_turn(std::function<bool()> look);

/// Waits for a request while MPI makes progress; to be called without holding the lock. Errors as
/// in Request::wait().
void wait_for(Request& request);

}  // namespace cuboid::detail::drop_in
