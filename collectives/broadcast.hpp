#pragma once

#include <cuboid/collectives/buffer.hpp>
#include <cuboid/collectives/collective_plan.hpp>
#include <cuboid/collectives/communicator.hpp>
#include <cuboid/collectives/reduction.hpp>
#include <cuboid/collectives/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Gives every rank the root's elements. Collective.
/// @param buffer  the root's is read, the others' are written; the same count and type on every
/// rank.
void broadcast(const Communicator& communicator, Buffer buffer, int root);
/// The same without waiting for it.
Request start_broadcast(const Communicator& communicator, Buffer buffer, int root);
/// The same made ready to run many times.
CollectivePlan plan_broadcast(const Communicator& communicator, Buffer buffer, int root);

}  // namespace cuboid
