#pragma once

#include "bindings/dropin/called.hpp"
#include "bindings/dropin/communicator_record.hpp"
#include "bindings/dropin/online_trial.hpp"

#include <cstddef>
#include <optional>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// Finds out if the ranks share a node. Collective.
void survey(CommunicatorRecord& record, MPI_Comm communicator);

/// Makes Cuboid's shadow communicator of a communicator. It uses the transport of a communicator
/// that has all these ranks if there is one, and otherwise a new transport. Collective; all ranks
/// succeed or none does. A failure sets `processes->hopeless`, unless a later attempt may succeed.
void make_shadow(CommunicatorRecord& record, MPI_Comm communicator);

/// Makes one more communicator like `record.ours`, which must exist, for calls with an order of
/// their own. Collective; nullopt on all ranks if it fails on one rank.
std::optional<Communicator> make_another(const CommunicatorRecord& record, MPI_Comm communicator);

/// The trial of such calls if its outcome is known in advance. On a network whose links are known,
/// Cuboid wins if its predicted time is clearly shorter than the shortest possible time without
/// knowledge of the network, in which each rank's data crosses one link after the other.
std::optional<OnlineTrial> known_beforehand(const CommunicatorRecord& record, Called called,
                                            std::size_t bytes);

}  // namespace cuboid::detail::drop_in
