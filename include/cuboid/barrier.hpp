#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Waits until every rank of the communicator has called barrier(). Collective. Throws
/// Error(timeout) and Error(peer_failed) as Request::wait().
CUBOID_API void barrier(const Communicator& communicator);
/// barrier() without waiting: returns a request, which is complete when every rank has started it.
CUBOID_API Request start_barrier(const Communicator& communicator, OnStream after = {});
/// A plan of barrier(), ready to run many times.
CUBOID_API CollectivePlan plan_barrier(const Communicator& communicator);

}  // namespace cuboid
