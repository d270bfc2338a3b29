#pragma once

#include <cuboid/network.hpp>

#include "base/text_file.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {

/// A topology as Slurm describes it. It tells which nodes are close to each other; its cables are
/// only a sketch of the network.
struct SlurmTopology {
  /// The nodes. For the tree plugin also the switches, and a cable of unknown rate from each switch
  /// to each node or switch below it.
  Network network;
  /// One group per switch of the tree (level 0: leaf switches), or per block (level 0) and
  /// aggregated block of the block plugin (one level for each further entry of BlockSizes).
  std::vector<NodeGroup> groups;
};

/// True if a text looks like one of the files that parse_slurm_topology() reads.
bool is_slurm_topology(std::string_view text);

/// Reads a topology of the tree or the block plugin: a topology.conf (comments, continued lines,
/// keys in any case, host lists, included files), the output of `scontrol show topology`, or a
/// topology.yaml (of several topologies the cluster's default, else the first). Throws Error(parse)
/// with file and line: unknown keys, everything that slurm_tree() and slurm_blocks() refuse, files
/// that mix the plugins, a topology without groups (flat), and YAML that parse_located_yaml() does
/// not read.
SlurmTopology parse_slurm_topology(const TextFile& file);

/// Groups from the SLURM_TOPOLOGY_ADDR values of one job ("s0.s4.node7") and their common
/// SLURM_TOPOLOGY_ADDR_PATTERN ("switch.switch.node"). Node i of the network has the i-th address.
/// Nodes whose addresses begin alike form a group. Throws Error(parse) for an address that does not
/// fit the pattern.
std::vector<NodeGroup> groups_of_addresses(const std::vector<std::string>& addresses,
                                           const std::string& pattern);

}  // namespace cuboid::detail
