#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include "collectives/mpi/mpi_turns.hpp"

#include <functional>

namespace cuboid::detail::drop_in {

/// Progress of Cuboid while a rank waits in MPI, and of MPI while a rank waits in Cuboid. Without
/// it a correct program could wait forever. If MPI gives no turns (polls_of_mpi.hpp), a thread
/// makes Cuboid's progress, and non-blocking collectives are handed on.

/// From now on this communicator, and all communicators that share its transport, make progress
/// while MPI waits.
void keep_going(const Communicator& world);
/// Releases these communicators. Afterwards Cuboid makes no progress by itself.
void stop_going();

/// From now on MPI's polls make this progress, or a thread if MPI gives no turns. To be called
/// without the lock.
void begin_turns();

/// Calls `look` at every poll of MPI until it returns true, for requests in flight. The caller must
/// hold the lock, and have called begin_turns() or keep_going().
void look_at_every_turn(std::function<bool()> look);

/// Waits for a request while MPI makes progress. The caller must not hold the lock. Throws like
/// Request::wait().
void wait_for(Request& request);

}  // namespace cuboid::detail::drop_in
