#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/export.hpp>

#include <functional>

namespace cuboid {

/// Runs `body` on `ranks` ranks, each a thread of this process with its own communicator, and
/// returns when all have ended. If a body throws, the waits of the other ranks throw
/// Error(peer_failed), and this function rethrows the first error. Throws Error(out_of_memory)
/// where the system starts no thread for a rank; those that have been started end at once.
CUBOID_API void run_ranks(int ranks, const std::function<void(Communicator&)>& body,
                          const Environment& environment = Environment::read());

}  // namespace cuboid
