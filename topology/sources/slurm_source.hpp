#pragma once

#include "topology/machine/hosts.hpp"
#include "topology/machine/report.hpp"
#include "topology/sources/answer.hpp"

#include <span>

namespace cuboid::detail {

/// Groups of hosts from Slurm. They come from every rank's SLURM_TOPOLOGY_ADDR if all ranks have
/// one that names switches or blocks, else from the topology.conf that the first rank read. Slurm
/// knows which hosts are close to each other but not the cables. Throws Error(parse) for malformed
/// content. Declines outside Slurm, if Slurm knows no switches, and if topology.conf lacks one of
/// the hosts.
Answer groups_of_slurm(std::span<const LocalReport> reports, const Hosts& hosts);

}  // namespace cuboid::detail
