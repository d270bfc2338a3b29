#pragma once

#include <cuboid/reduction.hpp>

#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace cuboid::detail {

/// How the messages of a run find the peer's: a collective is the same one by its turn among the
/// communicator's collectives, a point-to-point message by its sender and tag alone.
enum class Matching { by_sequence, by_tag };

/// For how long a run is waited for when nothing of it moves: the environment's timeout, or for as
/// long as its peers are there and no operation of the group has failed.
enum class Patience { timeout, endless };

/// An operation laid out for one rank: what to do and what to call it.
struct PlannedCollective {
  Schedule schedule;
  CombineFunction combine;  ///< empty if nothing is combined
  /// What a step of this name does to elements; empty where there is none.
  std::function<void(void* elements, std::size_t count)> finish;
  std::size_t element_bytes = 1;
  std::string operation;  ///< for messages, e.g. "broadcast of 4096 bytes from rank 0"
  std::string algorithm;  ///< e.g. "binomial"
  bool in_place = false;  ///< this rank's contribution is read from where its result goes
  Matching matching = Matching::by_sequence;
  Patience patience = Patience::timeout;
};

}  // namespace cuboid::detail
