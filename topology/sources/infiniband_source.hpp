#pragma once

#include "topology/machine/hosts.hpp"
#include "topology/machine/report.hpp"
#include "topology/sources/answer.hpp"

#include <span>

namespace cuboid::detail {

/// The fabric from ibnetdiscover's output. Only a privileged process can explore a fabric. So an
/// administrator does it once and stores the output, and the first rank reads it. Throws
/// Error(parse) if the output is malformed. Declines if there is no output or if it lacks one of
/// the hosts, and says what to do.
Answer network_of_fabric(std::span<const LocalReport> reports, const Hosts& hosts);

}  // namespace cuboid::detail
