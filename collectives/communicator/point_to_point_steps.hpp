#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include "collectives/engine/execution.hpp"
#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace cuboid::detail {

/// Parts of messages between two ranks, for callers that send several messages at once. The
/// messages match like those of point_to_point.hpp.

/// A message to or from `peer`, or a copy from outgoing to incoming memory.
Step message_step(Step::Kind kind, int peer, int tag, std::size_t bytes);
/// Sends `bytes` bytes from the plan's outgoing memory, beginning at `offset` bytes.
Step send_step(int destination, int tag, std::size_t bytes, std::size_t offset);
/// Receives `bytes` bytes into the plan's incoming memory, beginning at `offset` bytes.
Step receive_step(int source, int tag, std::size_t bytes, std::size_t offset);

/// An execution of messages that match by tag. The caller binds its buffers.
std::shared_ptr<Execution> lay_out_messages(const Communicator& communicator, std::string operation,
                                            ScheduleBuilder steps,
                                            Patience patience = Patience::timeout);

/// A plan of messages that match by tag.
/// @param operation  in words, e.g. "send of 8 bytes to rank 1"
CollectivePlan plan_messages(const Communicator& communicator, std::string operation,
                             ScheduleBuilder steps, const void* outgoing, void* incoming,
                             Patience patience = Patience::timeout);

}  // namespace cuboid::detail
