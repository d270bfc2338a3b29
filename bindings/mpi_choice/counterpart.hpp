#pragma once

#include "bindings/mpi_choice/called.hpp"
#include "bindings/mpi_choice/contest.hpp"
#include "bindings/mpi_choice/followed.hpp"

#include <cstddef>
#include <optional>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// Finds out whether the ranks share a node. Collective.
void survey(Followed& followed, MPI_Comm communicator);

/// Makes Cuboid's counterpart of a communicator: on the transport of one that has all its ranks, if
/// there is one, else on one of its own. Collective; on all ranks or none. Where it cannot be made,
/// `processes->hopeless` is set, unless it may be possible later.
void make_counterpart(Followed& followed, MPI_Comm communicator);

/// The contest of such calls, where its outcome can be told beforehand: on a network
/// whose links are known, Cuboid wins if it is predicted to be quicker than the best that can be
/// done without knowing the network, in which each rank's data cross one link after the other.
std::optional<Contest> known_beforehand(const Followed& followed, Called called, std::size_t bytes);

}  // namespace cuboid::detail::drop_in
