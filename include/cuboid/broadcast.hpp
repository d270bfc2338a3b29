#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/collective_plan.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Gives every rank the root's elements. Collective.
/// @param buffer  the root's is read, the others' are written; the same count and type on every
/// rank.
CUBOID_API void broadcast(const Communicator& communicator, Buffer buffer, int root);
/// The same without waiting for it.
CUBOID_API Request start_broadcast(const Communicator& communicator, Buffer buffer, int root);
/// The same made ready to run many times.
/// @param stream_length  so many alike, from any roots, the program starts one behind the other
/// while it computes: how long a single one takes counts the less, and what it takes of the cores
/// the more. The same on every rank.
CUBOID_API CollectivePlan plan_broadcast(const Communicator& communicator, Buffer buffer, int root,
                                         int stream_length = 1);

}  // namespace cuboid
