#pragma once

#include <cuboid/communicator.hpp>

#include "bindings/dropin/called.hpp"
#include "bindings/dropin/online_trial.hpp"
#include "bindings/dropin/recent_lengths.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// A kind of call: the collective, and the logarithm of its bytes.
using CallClass = std::pair<Called, int>;
inline CallClass class_of(Called called, std::size_t bytes) {
  return {called, static_cast<int>(std::bit_width(bytes))};
}

/// What is known about the processes of a communicator, in their order. Communicators of the same
/// processes share it, so that duplicates profit from what one of them has learned.
struct Processes {
  std::vector<int> world_ranks;  ///< the processes' ranks in MPI_COMM_WORLD
  bool surveyed = false;
  bool on_one_node = false;
  bool hopeless = false;  ///< Cuboid cannot serve these processes, or must not
  double seconds = 0;     ///< the estimated seconds of calls handed on, on this rank
  std::size_t calls = 0;  ///< the number of calls that were long enough for a decision
  std::map<CallClass, OnlineTrial> trials;
  /// For each collective, a bit for each logarithm of bytes: the kinds of call that have been made.
  std::array<std::uint64_t, calls_in_all> seen = {};
};

struct CallsInOrder;  // see requests.cpp

/// A communicator of the program that has made calls long enough for a decision. It is an attribute
/// of the program's communicator and is deleted with it.
struct CommunicatorRecord {
  int rank = 0;
  int size = 0;
  /// True if nothing can be gained, because the communicator is an intercommunicator, has one rank,
  /// or has ranks of other worlds.
  bool never = false;
  std::shared_ptr<Processes> processes;
  /// Cuboid's shadow communicator, if it exists, and another one for non-blocking calls. MPI
  /// libraries match blocking and non-blocking calls in separate orders, and programs rely on that.
  std::optional<Communicator> ours;
  std::optional<Communicator> ours_for_requests;
  /// The seconds that a shadow communicator would have saved.
  double could_have_saved = 0;
  /// The outcomes that blocking calls on this communicator have settled. Non-blocking calls use
  /// them, because non-blocking calls may come in any order relative to calls on other
  /// communicators.
  std::map<CallClass, OnlineTrial::Contender> settled;
  /// For each collective, a bit for each logarithm of bytes: the kinds of call whose trials only
  /// MPI has won.
  std::array<std::uint64_t, calls_in_all> left_to_mpi = {};
  bool is_left_to_mpi(const CallClass& its_class) const {
    return (left_to_mpi[static_cast<std::size_t>(its_class.first)] >> its_class.second & 1) != 0;
  }
  /// The lengths of blocking and of non-blocking calls of the collectives whose length no rank
  /// knows alone.
  std::map<Called, RecentLengths> recent_lengths;
  std::map<Called, RecentLengths> recent_lengths_of_requests;
  /// The order of the non-blocking calls that Cuboid carries. It is made at the first such call.
  std::shared_ptr<CallsInOrder> calls;

  void drop_shadows() {
    ours.reset();
    ours_for_requests.reset();
  }
};

/// True if there is an MPI_COMM_WORLD, whose ranks identify processes. Programs that use only
/// sessions have none.
bool has_world();

/// The record of a communicator. It is made if there is none yet; nullptr if MPI does not allow it.
CommunicatorRecord* record_of(MPI_Comm communicator);

/// True if the program may call MPI from several threads at once.
bool threads_at_once();

/// Registers a function that MPI_Finalize calls at its beginning, before anything is destroyed.
/// Several functions may be registered.
void at_finalize(void (*what)());
/// True after MPI_Finalize has begun.
bool finalized();

}  // namespace cuboid::detail::drop_in
