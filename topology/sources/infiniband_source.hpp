#pragma once

#include "topology/machine/hosts.hpp"
#include "topology/machine/report.hpp"
#include "topology/sources/answer.hpp"

#include <span>

namespace cuboid::detail {

/// The fabric from ibnetdiscover's output. Only a privileged process can walk a fabric, so it is
/// done once, and the first rank reads the result from where the administrator put it. Throws
/// Error(parse) if that is malformed. Declines, and says what to do, where there is none, and
/// where it lacks one of the hosts.
Answer network_of_fabric(std::span<const LocalReport> reports, const Hosts& hosts);

}  // namespace cuboid::detail
