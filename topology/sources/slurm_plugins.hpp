#pragma once

#include "topology/sources/slurm_entries.hpp"
#include "topology/sources/slurm_topology.hpp"

#include <vector>

namespace cuboid::detail {

/// What a topology.conf of the tree plugin says: switches, with the nodes or switches below each.
/// Throws Error(parse) with file and line: doubled or unknown names, nodes below two switches,
/// switches that are below themselves or more than 32 levels deep, more than 2^20 names.
SlurmTopology slurm_tree(const TextFile& file, const std::vector<SlurmEntry>& entries);

/// What one of the block plugin says: blocks of nodes, and how many nodes a block and each
/// aggregation of blocks have. Throws Error(parse) with file and line: doubled names, block sizes
/// that are not the first times a power of two, more than 2^20 names.
SlurmTopology slurm_blocks(const TextFile& file, const std::vector<SlurmEntry>& entries);

}  // namespace cuboid::detail
