#pragma once

#include "tools/bench/bench_network.hpp"
#include "tools/bench/bench_options.hpp"

#include <memory>
#include <optional>
#include <vector>

#include <mpi.h>

namespace cuboid::detail::tools {

/// An MPI communicator of the ranks of one colour, given back at the end.
class MpiGroup {
 public:
  /// Collective. @param colour  negative: in none.
  MpiGroup(int colour, int rank);
  ~MpiGroup();
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;
  MPI_Comm get() const { return group_; }

 private:
  MPI_Comm group_ = MPI_COMM_NULL;
};

/// The ranks that run the operation: all of them, those of a part of the network, or in lines, all
/// lines at once.
class BenchGroups {
 public:
  /// Collective. Throws Error(invalid_argument) naming the flag for a part or lines that the
  /// network does not have.
  BenchGroups(const BenchOptions& options, const Communicator& world);

  /// This rank's; not valid if it runs nothing.
  const Communicator& mine() const { return mine_; }
  MPI_Comm mpi() const { return mpi_->get(); }
  int ranks() const { return ranks_; }  ///< that run the operation, in all groups
  int first() const { return first_; }  ///< the lowest of them, by its number in the world
  int ranks_of_one() const { return ranks_ / groups_; }
  int number() const { return groups_; }
  const std::optional<Discovery>& network() const { return network_; }
  /// Of this rank's group; nullopt where ranks of one node have no network between them, whatever
  /// they imitate.
  std::optional<double> bound(Operation operation, int root) const;

 private:
  std::vector<int> colours(const BenchOptions& options, int ranks) const;

  std::optional<Discovery> network_;
  Communicator mine_;
  std::vector<int> node_of_rank_;  ///< by rank of the group
  int ranks_ = 0;
  int first_ = 0;
  int groups_ = 1;
  bool own_cables_only_ = false;
  std::unique_ptr<MpiGroup> mpi_;
};

}  // namespace cuboid::detail::tools
