#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/export.hpp>

#include <functional>

namespace cuboid {

/// Runs `body` on `ranks` ranks, each a thread of this process with its own communicator, and
/// returns when all have ended. Where bodies throw, the others are told (their waits throw
/// Error(peer_failed)) and the first error thrown is rethrown here.
CUBOID_API void run_ranks(int ranks, const std::function<void(Communicator&)>& body,
                          const Environment& environment = Environment::read());

}  // namespace cuboid
