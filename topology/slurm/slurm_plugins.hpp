#pragma once

#include "topology/slurm/slurm_entries.hpp"
#include "topology/slurm/slurm_topology.hpp"

#include <vector>

namespace cuboid::detail {

/// What the tree plugin's file says: switches, with the nodes or switches below each. A switch may
/// be below several, as in fat trees, and so may a node. Throws Error(parse) with file and line:
/// doubled or unknown names, switches that are below themselves or more than 32 levels deep, more
/// than 2^20 names.
SlurmTopology slurm_tree(const std::vector<SlurmEntry>& entries);

/// What the block plugin's file says: blocks of nodes, and how many nodes a block and each
/// aggregation of blocks have, or which these are. Throws Error(parse) with file and line: doubled
/// or unknown names, block sizes that are not the first times a power of two, more than 2^20 names.
SlurmTopology slurm_blocks(const std::vector<SlurmEntry>& entries);

}  // namespace cuboid::detail
