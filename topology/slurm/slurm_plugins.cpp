#include "topology/slurm/slurm_plugins.hpp"

#include <cuboid/error.hpp>

#include "topology/slurm/hostlist.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr std::size_t most_names = std::size_t{1} << 20;
constexpr int most_levels = 32;

/// Expands the host lists of entries and counts all names, so that a small file cannot stand for
/// endless names.
class NameBudget {
 public:
  std::vector<std::string> expand(const SlurmEntry& entry, const std::string& list) {
    try {
      std::vector<std::string> names = expand_hostlist(list, left_);
      left_ -= names.size();
      return names;
    } catch (const Error& error) {
      entry.fail(error.what());
    }
  }

 private:
  std::size_t left_ = most_names;
};

/// Reads the file of the tree plugin.
class TreePlugin {
 public:
  void add(const SlurmEntry& entry) {
    const std::string* name = entry.find("switchname");
    if (name == nullptr) entry.fail("SwitchName= is missing");
    const std::string* nodes = entry.find("nodes");
    const std::string* switches = entry.find("switches");
    // For a switch above other switches, scontrol also prints all nodes below them.
    if (entry.find("level") != nullptr && switches != nullptr) nodes = nullptr;
    if ((nodes == nullptr) == (switches == nullptr))
      entry.fail("a switch needs either Nodes= or Switches=");
    Switch added{&entry, add_switch(entry, *name), {}, {}, {}};
    if (nodes != nullptr) {
      for (const std::string& node : budget_.expand(entry, *nodes))
        added.nodes.push_back(add_host(entry, added.nodes, node));
    } else {
      added.switch_names = budget_.expand(entry, *switches);
    }
    number_of_vertex_.emplace(added.vertex, switches_.size());
    switches_.push_back(std::move(added));
  }

  SlurmTopology build() {
    for (Switch& parent : switches_) adopt(parent);
    groups_.resize(switches_.size());
    states_.resize(switches_.size());
    seen_by_.resize(static_cast<std::size_t>(network_.nodes()), nobody);
    for (std::size_t number = 0; number < switches_.size(); ++number) gather(number, 0);
    for (const Switch& parent : switches_) {
      for (const int node : parent.nodes) network_.add_cable(parent.vertex, node);
      for (const std::size_t child : parent.children)
        network_.add_cable(parent.vertex, switches_[child].vertex);
    }
    std::ranges::stable_sort(groups_, {}, &NodeGroup::level);
    return {std::move(network_), std::move(groups_)};
  }

 private:
  struct Switch {
    const SlurmEntry* entry = nullptr;
    int vertex = 0;
    std::vector<int> nodes;
    std::vector<std::string> switch_names;
    std::vector<std::size_t> children;
  };

  int add_switch(const SlurmEntry& entry, const std::string& name) {
    if (network_.find(name))
      entry.fail(fmt::format("{} occurs twice; a switch is described once", in_quotes(name)));
    return network_.add_node(name, Role::network_switch);
  }

  /// Adds a node below a switch. A node with several rails is below several leaf switches.
  int add_host(const SlurmEntry& entry, const std::vector<int>& beside, const std::string& name) {
    const auto known = network_.find(name);
    if (!known) return network_.add_node(name, Role::host);
    if (network_.role(*known) != Role::host)
      entry.fail(fmt::format("{} is a switch's name, too", in_quotes(name)));
    if (!beside.empty() && std::ranges::find(beside, *known) != beside.end())
      entry.fail(fmt::format("{} occurs twice below one switch", in_quotes(name)));
    return *known;
  }

  void adopt(Switch& parent) {
    for (const std::string& name : parent.switch_names) {
      const auto vertex = network_.find(name);
      const auto child = vertex ? number_of_vertex_.find(*vertex) : number_of_vertex_.end();
      if (child == number_of_vertex_.end())
        parent.entry->fail(fmt::format("switch {} is not described", in_quotes(name)));
      if (std::ranges::find(parent.children, child->second) != parent.children.end())
        parent.entry->fail(fmt::format("switch {} occurs twice below one", in_quotes(name)));
      parent.children.push_back(child->second);
    }
  }

  /// Makes the group of all nodes below a switch, after the groups of the switches below it.
  void gather(std::size_t number, int depth) {
    const Switch& parent = switches_[number];
    if (states_[number] == State::done) return;
    if (states_[number] == State::under_way)
      parent.entry->fail(
          fmt::format("switch {} is below itself", in_quotes(network_.name(parent.vertex))));
    NodeGroup group{network_.name(parent.vertex), 0, parent.nodes};
    states_[number] = State::under_way;
    for (const std::size_t child : parent.children) {
      if (depth < most_levels) gather(child, depth + 1);
      group.level = std::max(group.level, groups_[child].level + 1);
      if (depth == most_levels || group.level >= most_levels)
        parent.entry->fail(fmt::format("more than {} levels of switches", most_levels));
    }
    // Two switches below it may have nodes in common.
    for (const std::size_t child : parent.children) {
      for (const int node : groups_[child].nodes) {
        std::size_t& last = seen_by_[static_cast<std::size_t>(node)];
        if (last != number) group.nodes.push_back(node);
        last = number;
      }
    }
    members_ += group.nodes.size();
    if (members_ > most_levels * most_names)
      parent.entry->fail("too many nodes below switches, each counted below every switch above it");
    groups_[number] = std::move(group);
    states_[number] = State::done;
  }

  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  enum class State { unvisited, under_way, done };

  Network network_;
  NameBudget budget_;
  std::vector<Switch> switches_;
  std::map<int, std::size_t> number_of_vertex_;
  std::vector<NodeGroup> groups_;     ///< by switch
  std::vector<State> states_;         ///< by switch
  std::vector<std::size_t> seen_by_;  ///< by node: the switch whose group it was added to last
  std::size_t members_ = 0;
};

/// Reads the file of the block plugin.
class BlockPlugin {
 public:
  void add(const SlurmEntry& entry) {
    if (const std::string* sizes = entry.find("blocksizes")) {
      if (!sizes_.empty()) entry.fail("BlockSizes is given twice");
      sizes_ = parse_sizes(entry, *sizes);
    } else if (const std::string* name = entry.find("aggregatedblock")) {
      add_aggregated(entry, *name);
    } else {
      add_block(entry);
    }
  }

  SlurmTopology build() {
    std::vector<NodeGroup> groups = blocks_;
    for (std::size_t level = 1; level < sizes_.size(); ++level) {
      append_aggregated(groups, static_cast<int>(level),
                        static_cast<std::size_t>(sizes_[level] / sizes_.front()));
    }
    int level = static_cast<int>(std::max<std::size_t>(sizes_.size(), 1));
    for (const auto& [size, listed] : listed_by_size_) {
      for (NodeGroup group : listed) {
        group.level = level;
        groups.push_back(std::move(group));
      }
      ++level;
    }
    return {std::move(network_), std::move(groups)};
  }

 private:
  void add_block(const SlurmEntry& entry) {
    const std::string* name = entry.find("blockname");
    const std::string* nodes = entry.find("nodes");
    if (name == nullptr || nodes == nullptr) entry.fail("a block needs BlockName= and Nodes=");
    if (!names_.insert(*name).second)
      entry.fail(fmt::format("block {} is described twice", in_quotes(*name)));
    NodeGroup block{*name, 0, {}};
    for (const std::string& node : budget_.expand(entry, *nodes)) {
      if (network_.find(node)) entry.fail(fmt::format("node {} is in two blocks", in_quotes(node)));
      block.nodes.push_back(network_.add_node(node));
    }
    blocks_.push_back(std::move(block));
  }

  /// Adds an aggregation of blocks. scontrol prints it after the blocks that it consists of.
  void add_aggregated(const SlurmEntry& entry, const std::string& name) {
    const std::string* nodes = entry.find("nodes");
    const std::string* size = entry.find("blocksize");
    Cursor cursor(size == nullptr ? std::string_view() : *size);
    const auto number = cursor.take_number();
    if (nodes == nullptr || !number || !cursor.at_end())
      entry.fail("an aggregated block needs Nodes= and BlockSize=");
    NodeGroup group{name, 0, {}};
    for (const std::string& node : budget_.expand(entry, *nodes)) {
      const auto vertex = network_.find(node);
      if (!vertex) entry.fail(fmt::format("node {} is in no block", in_quotes(node)));
      group.nodes.push_back(*vertex);
    }
    listed_by_size_[*number].push_back(std::move(group));
  }

  /// Reads the numbers of nodes of a block and of its aggregations, e.g. "30,120".
  std::vector<int> parse_sizes(const SlurmEntry& entry, std::string_view text) const {
    std::vector<int> sizes;
    for (Cursor cursor(text);;) {
      const auto size = cursor.take_number();
      const bool end = cursor.at_end();
      if (!size || *size == 0 || (!end && !cursor.take(",")))
        entry.fail("expected BlockSizes=30,120");
      const int factor = *size / (sizes.empty() ? *size : sizes.front());
      const bool whole = sizes.empty() || *size % sizes.front() == 0;
      if (!whole || !std::has_single_bit(static_cast<unsigned>(factor)) ||
          (!sizes.empty() && *size <= sizes.back())) {
        entry.fail("block sizes must grow, each the first times a power of two");
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

  Network network_;
  NameBudget budget_;
  std::vector<int> sizes_;
  std::set<std::string> names_;
  std::vector<NodeGroup> blocks_;
  std::map<int, std::vector<NodeGroup>> listed_by_size_;
};

template <typename Plugin>
SlurmTopology build_with(const std::vector<SlurmEntry>& entries) {
  Plugin plugin;
  for (const SlurmEntry& entry : entries) plugin.add(entry);
  return plugin.build();
}

}  // namespace

SlurmTopology slurm_tree(const std::vector<SlurmEntry>& entries) {
  return build_with<TreePlugin>(entries);
}

SlurmTopology slurm_blocks(const std::vector<SlurmEntry>& entries) {
  return build_with<BlockPlugin>(entries);
}

}  // namespace cuboid::detail
