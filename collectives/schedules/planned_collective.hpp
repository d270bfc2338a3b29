#pragma once

#include <cuboid/reduction.hpp>

#include "collectives/schedules/direct_plan.hpp"
#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace cuboid::detail {

/// How the messages of a run find their counterparts on the peer: those of a collective by its
/// number in the sequence of the communicator's collectives, point-to-point messages by sender and
/// tag alone.
enum class Matching { by_sequence, by_tag };

/// How long to wait for a run in which nothing moves: for the environment's timeout, or as long as
/// its peers are alive and no operation of the group has failed.
enum class Patience { timeout, endless };

/// An operation planned for one rank: its schedule, its functions, and its names for messages.
struct PlannedCollective {
  Schedule schedule;
  std::optional<DirectPlan> direct;  ///< where all buffers lie in devices' memory on one node
  CombineFunction combine;           ///< empty if nothing is combined
  /// What a Step::Kind::finish does to elements; empty if the schedule has none.
  std::function<void(void* elements, std::size_t count)> finish;
  std::size_t element_bytes = 1;
  std::string operation;  ///< for messages, e.g. "broadcast of 4096 bytes from rank 0"
  std::string algorithm;  ///< e.g. "binomial"
  bool in_place = false;  ///< true if the contribution lies where the result goes
  Matching matching = Matching::by_sequence;
  Patience patience = Patience::timeout;
};

}  // namespace cuboid::detail
