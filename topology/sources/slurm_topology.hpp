#pragma once

#include <cuboid/network.hpp>

#include "base/text_file.hpp"
#include "topology/sources/answer.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {

/// What a topology.conf of Slurm describes. It tells who is close to whom; the cables it lists are
/// a sketch.
struct SlurmTopology {
  /// The nodes, and for the tree plugin the switches and a cable of unknown rate from each to what
  /// is below it.
  Network network;
  /// One group per switch of the tree (level 0: leaf switches), or per block (level 0) and
  /// aggregated block of the block plugin (one level for each further entry of BlockSizes).
  std::vector<NodeGroup> groups;
};

/// Whether a text looks like a topology.conf.
bool is_slurm_topology(std::string_view text);

/// Reads a topology.conf of the tree or block plugin: comments, continued lines, keys in any case,
/// host lists. Throws Error(parse) with file and line: unknown keys, doubled or unknown names,
/// nodes below two switches, switches that are below themselves or more than 32 levels deep, more
/// than 2^20 names, block sizes that are not the first times a power of two, and files that mix the
/// plugins.
SlurmTopology parse_slurm_topology(const TextFile& file);

/// Groups from one job's SLURM_TOPOLOGY_ADDR values ("s0.s4.node7") and their common
/// SLURM_TOPOLOGY_ADDR_PATTERN
/// ("switch.switch.node"): node i of the network is the i-th address; equal beginnings are one
/// group. Throws Error(parse) for an address that does not fit the pattern.
std::vector<NodeGroup> groups_of_addresses(const std::vector<std::string>& addresses,
                                           const std::string& pattern);

}  // namespace cuboid::detail
