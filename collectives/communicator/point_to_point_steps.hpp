#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include "collectives/engine/execution.hpp"
#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace cuboid::detail {

/// What messages between two ranks are made of; for those that send several at once. They match as
/// those of point_to_point.hpp do.

/// A message of `bytes` bytes to or from `peer`, or a copy from outgoing to incoming memory.
Step message_step(Step::Kind kind, int peer, int tag, std::size_t bytes);
/// Sends `bytes` bytes that lie `offset` bytes into the plan's outgoing memory.
Step send_step(int destination, int tag, std::size_t bytes, std::size_t offset);
/// Receives into the plan's incoming memory.
Step receive_step(int source, int tag, std::size_t bytes, std::size_t offset);

/// An execution of messages that match by tag, its buffers yet to be bound.
std::shared_ptr<Execution> lay_out_messages(const Communicator& communicator, std::string operation,
                                            ScheduleBuilder steps,
                                            Patience patience = Patience::timeout);

/// @param operation  for messages, e.g. "send of 8 bytes to rank 1".
CollectivePlan plan_messages(const Communicator& communicator, std::string operation,
                             ScheduleBuilder steps, const void* outgoing, void* incoming,
                             Patience patience = Patience::timeout);

}  // namespace cuboid::detail
