#pragma once

#include "topology/machine/hosts.hpp"
#include "topology/machine/report.hpp"
#include "topology/sources/answer.hpp"

#include <span>

namespace cuboid::detail {

/// Groups of hosts from what Slurm tells: every rank's SLURM_TOPOLOGY_ADDR where all have one that
/// names switches or blocks, else the topology.conf the first rank could read. Slurm knows who is
/// close to whom but not the cables. Throws Error(parse) for malformed content. Declines outside
/// Slurm, where it knows no switches, and where topology.conf lacks one of the hosts.
Answer groups_of_slurm(std::span<const LocalReport> reports, const Hosts& hosts);

}  // namespace cuboid::detail
