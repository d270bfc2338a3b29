#pragma once

#include "topology/slurm/slurm_entries.hpp"

#include <string_view>
#include <vector>

namespace cuboid::detail {

/// True if a text looks like a topology.yaml.
bool is_slurm_yaml(std::string_view text);

/// The switches or blocks of a topology.yaml's topology, as the lines of a topology.conf that says
/// the same. Of several topologies it is the cluster's default, else the first. Throws Error(parse)
/// with file and line, also for a topology without switches and blocks.
std::vector<SlurmEntry> parse_slurm_yaml(const TextFile& file);

}  // namespace cuboid::detail
