#include "topology/sources/slurm_plugins.hpp"

#include <cuboid/error.hpp>

#include "topology/sources/hostlist.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr std::size_t most_names = std::size_t{1} << 20;
constexpr int most_levels = 32;

/// Names from a host list of a given entry; counts them all, so that a small file cannot stand for
/// endless names.
class NameBudget {
 public:
  std::vector<std::string> expand(const TextFile& file, int line, const std::string& list) {
    try {
      std::vector<std::string> names = expand_hostlist(list, left_);
      left_ -= names.size();
      return names;
    } catch (const Error& error) {
      fail_at(file, line, error.what());
    }
  }

 private:
  std::size_t left_ = most_names;
};

/// The tree plugin's file.
class TreePlugin {
 public:
  explicit TreePlugin(const TextFile& file) : file_(file) {}

  void add(const SlurmEntry& entry) {
    const std::string* name = entry.find("switchname");
    if (name == nullptr || name->empty()) fail_at(file_, entry.line, "SwitchName= is missing");
    const std::string* nodes = entry.find("nodes");
    const std::string* switches = entry.find("switches");
    if ((nodes == nullptr) == (switches == nullptr)) {
      fail_at(file_, entry.line, "a switch needs either Nodes= or Switches=");
    }
    Switch added{entry.line, add_vertex(entry.line, *name, Role::network_switch), {}, {}, {}};
    if (nodes != nullptr) {
      for (const std::string& node : budget_.expand(file_, entry.line, *nodes)) {
        added.nodes.push_back(add_vertex(entry.line, node, Role::host));
      }
    } else {
      added.switch_names = budget_.expand(file_, entry.line, *switches);
    }
    number_of_vertex_.emplace(added.vertex, switches_.size());
    switches_.push_back(std::move(added));
  }

  SlurmTopology build() {
    for (Switch& parent : switches_) adopt(parent);
    for (std::size_t number = 0; number < switches_.size(); ++number) check_ancestors(number);
    SlurmTopology topology;
    topology.groups = groups();
    for (const Switch& parent : switches_) {
      for (const int node : parent.nodes) network_.add_cable(parent.vertex, node);
      for (const std::size_t child : parent.children)
        network_.add_cable(parent.vertex, switches_[child].vertex);
    }
    topology.network = std::move(network_);
    return topology;
  }

 private:
  struct Switch {
    int line = 0;
    int vertex = 0;
    std::vector<int> nodes;
    std::vector<std::string> switch_names;
    std::vector<std::size_t> children;
    std::optional<std::size_t> parent = std::nullopt;
  };

  int add_vertex(int line, const std::string& name, Role role) {
    if (network_.find(name)) {
      fail_at(file_, line,
              fmt::format(
                  "{} occurs twice; a {}", in_quotes(name),
                  role == Role::host ? "node is below one switch" : "switch is described once"));
    }
    return network_.add_node(name, role);
  }

  void adopt(Switch& parent) {
    for (const std::string& name : parent.switch_names) {
      const auto vertex = network_.find(name);
      const auto child = vertex ? number_of_vertex_.find(*vertex) : number_of_vertex_.end();
      if (child == number_of_vertex_.end()) {
        fail_at(file_, parent.line, fmt::format("switch {} is not described", in_quotes(name)));
      }
      if (switches_[child->second].parent) {
        fail_at(file_, parent.line, fmt::format("switch {} is below two others", in_quotes(name)));
      }
      switches_[child->second].parent = static_cast<std::size_t>(&parent - switches_.data());
      parent.children.push_back(child->second);
    }
  }

  void check_ancestors(std::size_t number) const {
    int levels = 0;
    for (auto above = switches_[number].parent; above; above = switches_[*above].parent) {
      const Switch& start = switches_[number];
      if (*above == number) {
        fail_at(file_, start.line,
                fmt::format("switch {} is below itself", in_quotes(network_.name(start.vertex))));
      }
      if (++levels >= most_levels) {
        fail_at(
            file_, start.line,
            fmt::format("more than {} levels of switches, or a cycle of switches", most_levels));
      }
    }
  }

  /// All nodes below a switch and its height above them. The depth was checked to be small.
  NodeGroup group_of(const Switch& parent) const {
    NodeGroup group{network_.name(parent.vertex), 0, parent.nodes};
    for (const std::size_t child : parent.children) {
      const NodeGroup below = group_of(switches_[child]);
      group.level = std::max(group.level, below.level + 1);
      group.nodes.insert(group.nodes.end(), below.nodes.begin(), below.nodes.end());
    }
    return group;
  }

  std::vector<NodeGroup> groups() const {
    std::vector<NodeGroup> groups;
    for (const Switch& parent : switches_) groups.push_back(group_of(parent));
    std::ranges::stable_sort(groups, {}, &NodeGroup::level);
    return groups;
  }

  const TextFile& file_;
  Network network_;
  NameBudget budget_;
  std::vector<Switch> switches_;
  std::map<int, std::size_t> number_of_vertex_;
};

/// The block plugin's file.
class BlockPlugin {
 public:
  explicit BlockPlugin(const TextFile& file) : file_(file) {}

  void add(const SlurmEntry& entry) {
    if (const std::string* sizes = entry.find("blocksizes")) {
      if (!sizes_.empty()) fail_at(file_, entry.line, "BlockSizes is given twice");
      sizes_ = parse_sizes(entry.line, *sizes);
      return;
    }
    const std::string* name = entry.find("blockname");
    const std::string* nodes = entry.find("nodes");
    if (name == nullptr || name->empty() || nodes == nullptr) {
      fail_at(file_, entry.line, "a block needs BlockName= and Nodes=");
    }
    if (!block_lines_.try_emplace(*name, entry.line).second) {
      fail_at(file_, entry.line, fmt::format("block {} is described twice", in_quotes(*name)));
    }
    NodeGroup block{*name, 0, {}};
    for (const std::string& node : budget_.expand(file_, entry.line, *nodes)) {
      if (network_.find(node))
        fail_at(file_, entry.line, fmt::format("node {} is in two blocks", in_quotes(node)));
      block.nodes.push_back(network_.add_node(node));
    }
    blocks_.push_back(std::move(block));
  }

  SlurmTopology build() {
    std::vector<NodeGroup> groups = blocks_;
    for (std::size_t level = 1; level < sizes_.size(); ++level) {
      append_aggregated(groups, static_cast<int>(level),
                        static_cast<std::size_t>(sizes_[level] / sizes_.front()));
    }
    return {std::move(network_), std::move(groups)};
  }

 private:
  /// "30,120": nodes of a block and of its aggregations.
  std::vector<int> parse_sizes(int line, std::string_view text) const {
    std::vector<int> sizes;
    for (Cursor cursor(text);;) {
      const auto size = cursor.take_number();
      const bool end = cursor.at_end();
      if (!size || *size == 0 || (!end && !cursor.take(",")))
        fail_at(file_, line, "expected BlockSizes=30,120");
      const int factor = *size / (sizes.empty() ? *size : sizes.front());
      const bool whole = sizes.empty() || *size % sizes.front() == 0;
      if (!whole || !std::has_single_bit(static_cast<unsigned>(factor)) ||
          (!sizes.empty() && *size <= sizes.back())) {
        fail_at(file_, line, "block sizes must grow, each the first times a power of two");
      }
      sizes.push_back(*size);
      if (end) return sizes;
    }
  }

  /// Appends groups of `count` consecutive blocks.
  void append_aggregated(std::vector<NodeGroup>& groups, int level, std::size_t count) const {
    for (std::size_t first = 0; first < blocks_.size(); first += count) {
      const std::size_t last = std::min(first + count, blocks_.size()) - 1;
      NodeGroup group{fmt::format("{}..{}", blocks_[first].name, blocks_[last].name), level, {}};
      for (std::size_t block = first; block <= last; ++block) {
        group.nodes.insert(group.nodes.end(), blocks_[block].nodes.begin(),
                           blocks_[block].nodes.end());
      }
      groups.push_back(std::move(group));
    }
  }

  const TextFile& file_;
  Network network_;
  NameBudget budget_;
  std::vector<int> sizes_;
  std::map<std::string, int> block_lines_;
  std::vector<NodeGroup> blocks_;
};

template <typename Plugin>
SlurmTopology build_with(const TextFile& file, const std::vector<SlurmEntry>& entries) {
  Plugin plugin(file);
  for (const SlurmEntry& entry : entries) plugin.add(entry);
  return plugin.build();
}

}  // namespace

SlurmTopology slurm_tree(const TextFile& file, const std::vector<SlurmEntry>& entries) {
  return build_with<TreePlugin>(file, entries);
}

SlurmTopology slurm_blocks(const TextFile& file, const std::vector<SlurmEntry>& entries) {
  return build_with<BlockPlugin>(file, entries);
}

}  // namespace cuboid::detail
