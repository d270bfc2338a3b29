#include "topology/slurm/slurm_topology.hpp"

#include <cuboid/error.hpp>

#include "topology/machine/topology_files.hpp"
#include "topology/slurm/slurm_entries.hpp"
#include "topology/slurm/slurm_plugins.hpp"
#include "topology/slurm/slurm_yaml.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

bool is_block_entry(const SlurmEntry& entry) {
  return entry.find("blockname") != nullptr || entry.find("blocksizes") != nullptr ||
         entry.find("aggregatedblock") != nullptr;
}

bool has_include_line(const std::string& text) {
  const TextFile file{"", text, {}};
  LineReader lines(file);
  while (const auto line = lines.next()) {
    if (include_of(*line)) return true;
  }
  return false;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

}  // namespace

bool is_slurm_topology(std::string_view text) {
  const std::string beginning = lower_case(text.substr(0, std::size_t{1} << 16));
  return beginning.find("switchname=") != std::string::npos ||
         beginning.find("blockname=") != std::string::npos || is_slurm_yaml(beginning) ||
         has_include_line(beginning);
}

SlurmTopology parse_slurm_topology(const TextFile& file) {
  const std::vector<SlurmEntry> entries =
      is_slurm_yaml(file.text) ? parse_slurm_yaml(file) : parse_slurm_entries(file);
  if (entries.empty()) fail_at(file, 1, "no switch and no block is described");
  const bool blocks = is_block_entry(entries.front());
  for (const SlurmEntry& entry : entries) {
    const bool mixed =
        is_block_entry(entry) != blocks || (blocks && entry.find("switchname") != nullptr);
    if (mixed) entry.fail("a file describes switches or blocks, not both");
  }
  return blocks ? slurm_blocks(entries) : slurm_tree(entries);
}

std::vector<NodeGroup> groups_of_addresses(const std::vector<std::string>& addresses,
                                           const std::string& pattern) {
  const std::size_t depth = split(pattern, '.').size();
  std::map<std::pair<int, std::string>, NodeGroup> groups;
  for (std::size_t node = 0; node < addresses.size(); ++node) {
    // A node's name may contain dots; the switches' names before it may not.
    std::string_view rest = addresses[node];
    std::string name;
    for (std::size_t step = 0; step + 1 < depth; ++step) {
      const std::size_t dot = rest.find('.');
      if (dot == std::string_view::npos) {
        throw Error(
            ErrorCode::parse,
            fmt::format("SLURM_TOPOLOGY_ADDR={} does not fit SLURM_TOPOLOGY_ADDR_PATTERN={}",
                        in_quotes(addresses[node]), in_quotes(pattern)));
      }
      name += (name.empty() ? "" : ".") + std::string(rest.substr(0, dot));
      rest.remove_prefix(dot + 1);
      const int level = static_cast<int>(depth - 2 - step);
      NodeGroup& group = groups[{level, name}];
      group.name = name;
      group.level = level;
      group.nodes.push_back(static_cast<int>(node));
    }
  }
  std::vector<NodeGroup> ordered;
  for (auto& [key, group] : groups) ordered.push_back(std::move(group));
  return ordered;
}

}  // namespace cuboid::detail
