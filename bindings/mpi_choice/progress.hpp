#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include <functional>

namespace cuboid::detail::drop_in {

/// While a rank waits in MPI, Cuboid gets on, and while it waits in Cuboid, MPI does: else a
/// program that is right could wait forever.

/// Whether the MPI beneath lets others get on while it waits (Open MPI does). Without that, a
/// thread keeps Cuboid going, and non-blocking collectives are handed on.
bool mpi_gives_turns();

/// From now on this communicator, and all that share its transport, get on while MPI waits.
void keep_going(const Communicator& world);
/// Lets go of all of them; nothing of Cuboid runs by itself afterwards.
void stop_going();

/// Calls `look` at every turn that MPI gives, until it returns true. For requests in flight; inside
/// the gate.
void look_at_every_turn(std::function<bool()> look);

/// Waits for a request, from outside the gate, letting MPI get on meanwhile. Throws what
/// Request::wait() throws.
void wait_for(Request& request);

}  // namespace cuboid::detail::drop_in
