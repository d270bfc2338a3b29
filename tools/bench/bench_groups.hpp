#pragma once

#include "tools/bench/bench_network.hpp"
#include "tools/bench/bench_options.hpp"
#include "tools/command/watchdog.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include <mpi.h>

namespace cuboid::detail::tools {

/// An MPI communicator of the ranks of one colour, freed by the destructor, and a watchdog for
/// MPI's calls, which have no deadline.
class MpiGroup {
 public:
  /// Collective.
  /// @param colour  negative if this rank is in no group.
  /// @param limit   for each call.
  MpiGroup(int colour, int rank, std::chrono::duration<double> limit);
  ~MpiGroup();
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;
  MPI_Comm get() const { return group_; }
  Watchdog& watchdog() { return watchdog_; }

 private:
  MPI_Comm group_ = MPI_COMM_NULL;
  Watchdog watchdog_;
};

/// The groups of ranks that run the operation: one group of all ranks, one of the ranks in a part
/// of the network, or one per line, in which case all lines run at once.
class BenchGroups {
 public:
  /// Collective. Throws Error(invalid_argument) naming the flag if the network has no such part or
  /// lines.
  BenchGroups(const BenchOptions& options, const Communicator& world);

  /// The group of this rank; invalid if the rank runs nothing.
  const Communicator& mine() const { return mine_; }
  MpiGroup& mpi() const { return *mpi_; }
  int ranks() const { return ranks_; }  ///< ranks that run the operation, in all groups
  int first() const { return first_; }  ///< the lowest of them, by rank in the world
  int ranks_of_one() const { return ranks_ / groups_; }
  int number() const { return groups_; }
  const std::optional<Discovery>& network() const { return network_; }
  /// What the cables of this rank's group allow, without bursts (bound_of()); nullopt if all its
  /// ranks are on one node, so that no network connects them, even if they emulate several nodes.
  std::optional<double> cables(Operation operation, int root) const;

 private:
  std::vector<int> colours(const BenchOptions& options, int ranks) const;

  std::optional<Discovery> network_;
  Communicator mine_;
  std::vector<int> node_of_rank_;  ///< the node of each rank of the group
  int ranks_ = 0;
  int first_ = 0;
  int groups_ = 1;
  bool own_cables_only_ = false;
  std::unique_ptr<MpiGroup> mpi_;
};

}  // namespace cuboid::detail::tools
