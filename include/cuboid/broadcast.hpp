#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Copies the root's elements to every rank. Collective.
/// @param buffer  read on the root, written on all other ranks; same count and type on every rank.
/// @param root    rank of the communicator; the same on every rank.
/// Throws as every collective (see Communicator).
CUBOID_API void broadcast(const Communicator& communicator, Buffer buffer, int root);
/// broadcast() without waiting: returns a request; the buffer belongs to it until it is complete.
CUBOID_API Request start_broadcast(const Communicator& communicator, Buffer buffer, int root,
                                   OnStream after = {});
/// A plan of broadcast() on this buffer, ready to run many times.
/// @param stream_length  a hint: the number of identical broadcasts (from any roots) that are in
///                       flight at the same time while the program computes. With a larger number,
///                       throughput and CPU time count more than latency. The same on every rank.
CUBOID_API CollectivePlan plan_broadcast(const Communicator& communicator, Buffer buffer, int root,
                                         int stream_length = 1);

}  // namespace cuboid
