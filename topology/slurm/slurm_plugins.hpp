#pragma once

#include "topology/slurm/slurm_entries.hpp"
#include "topology/slurm/slurm_topology.hpp"

#include <vector>

namespace cuboid::detail {

/// Reads the tree plugin's file: switches, with the nodes or switches below each. A switch or a
/// node may be below several switches, as in fat trees. Throws Error(parse) with file and line:
/// doubled or unknown names, switches that are below themselves or more than 32 levels deep, more
/// than 2^20 names.
SlurmTopology slurm_tree(const std::vector<SlurmEntry>& entries);

/// Reads the block plugin's file: blocks of nodes, and the number of nodes of a block and of each
/// aggregation of blocks, or the nodes of each aggregation. Throws Error(parse) with file and line:
/// doubled or unknown names, block sizes that are not the first size times a power of two, more
/// than 2^20 names.
SlurmTopology slurm_blocks(const std::vector<SlurmEntry>& entries);

}  // namespace cuboid::detail
