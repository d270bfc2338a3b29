#pragma once

#include <cuboid/communicator.hpp>

#include "bindings/mpi_choice/called.hpp"
#include "bindings/mpi_choice/contest.hpp"
#include "bindings/mpi_choice/recent_lengths.hpp"

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

/// A kind of call: which, and the logarithm of its bytes.
using CallClass = std::pair<Called, int>;
inline CallClass class_of(Called called, std::size_t bytes) {
  return {called, static_cast<int>(std::bit_width(bytes))};
}

/// What is known of the processes of a communicator, in their order; communicators of the same
/// processes share it, so that what was learned on one serves its duplicates, too.
struct Processes {
  std::vector<int> world_ranks;  ///< in MPI_COMM_WORLD
  bool surveyed = false;
  bool on_one_node = false;
  bool hopeless = false;  ///< Cuboid cannot or may not serve them
  double seconds = 0;     ///< of calls that were handed on so far, on this rank, estimated
  std::size_t calls = 0;  ///< that were long enough to be thought about
  std::map<CallClass, Contest> contests;
  /// By call, a bit for each logarithm: those that have been.
  std::array<std::uint64_t, calls_in_all> seen = {};
};

struct CallsInOrder;  // see requests.cpp

/// A communicator of the program that has made calls worth thinking about. It hangs on the
/// communicator by an attribute, and goes with it.
struct Followed {
  int rank = 0;
  int size = 0;
  bool never =
      false;  ///< nothing to be gained: an intercommunicator, one rank, other worlds' ranks
  std::shared_ptr<Processes> processes;
  /// Cuboid's counterpart, once there is one; and another for non-blocking calls: MPIs match these
  /// and blocking ones each in their own order, and programs have come to rely on it.
  std::optional<Communicator> ours;
  std::optional<Communicator> ours_for_requests;
  /// Seconds that one would have saved so far.
  double could_have_saved = 0;
  /// What blocking calls on this very communicator have found settled: non-blocking ones go by it,
  /// as they may come in any order with those on other communicators.
  std::map<CallClass, Contest::Side> settled;
  /// By call, a bit for each logarithm: those of which all that was settled is that MPI is quicker.
  std::array<std::uint64_t, calls_in_all> left_to_mpi = {};
  bool is_left_to_mpi(const CallClass& its_class) const {
    return (left_to_mpi[static_cast<std::size_t>(its_class.first)] >> its_class.second & 1) != 0;
  }
  /// Of calls whose length no rank knows alone.
  std::map<Called, RecentLengths> recent_lengths;
  /// Of the non-blocking calls that Cuboid carries: made at the first one.
  std::shared_ptr<CallsInOrder> calls;

  void drop_counterparts() {
    ours.reset();
    ours_for_requests.reset();
  }
};

/// Whether there is an MPI_COMM_WORLD, by which ranks are known: programs that use sessions alone
/// have none.
bool has_world();

/// The one of a communicator; made where there is none yet. nullptr where MPI does not let us.
Followed* follow(MPI_Comm communicator);

/// Whether the program may call MPI from several threads at once.
bool threads_at_once();

/// To be called when MPI_Finalize begins, before anything is taken down; several may be.
void at_finalize(void (*what)());
/// Whether that has been.
bool finalized();

}  // namespace cuboid::detail::drop_in
