#pragma once

#include <cuboid/network.hpp>

#include "base/text_file.hpp"
#include "topology/sources/answer.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {

/// The kinds of topology files that Cuboid reads.
enum class TopologyFileKind { network_json, ibnetdiscover, slurm_topology };

/// The content of a topology file.
struct TopologyFile {
  TopologyFileKind kind = TopologyFileKind::network_json;
  Network network;
  std::vector<NodeGroup> groups;
  std::vector<std::string> doubts = {};  ///< parts of the file passed over, and why; one line each
};

/// Reads a topology file of any kind, recognised by its content: a network in JSON, the output of
/// ibnetdiscover, Slurm's topology.conf, topology.yaml, or the output of `scontrol show topology`.
/// For InfiniBand the groups are the hosts below each switch. Throws Error(parse) with file and
/// line if the file is malformed or of no such kind.
TopologyFile parse_topology_file(const TextFile& file);

/// "a network in JSON", "the output of ibnetdiscover", "Slurm's topology".
std::string_view to_string(TopologyFileKind kind);

}  // namespace cuboid::detail
