#include "topology/sources/slurm_topology.hpp"

#include <cuboid/error.hpp>

#include "topology/sources/hostlist.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr std::size_t most_names = std::size_t{1} << 20;
constexpr int most_levels = 32;

/// One logical line: its keys in lower case, with their values.
struct Entry {
  int line = 0;
  std::vector<std::pair<std::string, std::string>> values;

  const std::string* find(std::string_view key) const {
    const auto found = std::ranges::find(values, key, &std::pair<std::string, std::string>::first);
    return found == values.end() ? nullptr : &found->second;
  }
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_known_key(std::string_view key) {
  constexpr std::array<std::string_view, 6> known = {"switchname", "switches",  "nodes",
                                                     "linkspeed",  "blockname", "blocksizes"};
  return std::ranges::find(known, key) != known.end();
}

Entry parse_entry(const TextFile& file, int line, std::string_view text) {
  Entry entry{line, {}};
  Cursor cursor(text);
  for (cursor.skip_spaces(); !cursor.at_end(); cursor.skip_spaces()) {
    const std::string_view word = cursor.take_word();
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      fail_at(file, line,
              fmt::format("expected key=value, such as Nodes=n[0-3], not {}", in_quotes(word)));
    }
    const std::string key = lower(word.substr(0, equals));
    if (!is_known_key(key))
      fail_at(file, line, fmt::format("unknown key {}", in_quotes(word.substr(0, equals))));
    if (entry.find(key) != nullptr)
      fail_at(file, line, fmt::format("{} is given twice", in_quotes(key)));
    entry.values.emplace_back(key, word.substr(equals + 1));
  }
  return entry;
}

/// Joins lines continued by a backslash, takes comments and blank lines off.
std::vector<Entry> parse_entries(const TextFile& file) {
  std::vector<Entry> entries;
  LineReader lines(file);
  while (const auto first = lines.next()) {
    const int number = lines.number();
    std::string whole(*first);
    while (whole.ends_with('\\')) {
      whole.pop_back();
      const auto continued = lines.next();
      if (!continued) break;
      whole += *continued;
    }
    Entry entry = parse_entry(file, number, std::string_view(whole).substr(0, whole.find('#')));
    if (!entry.values.empty()) entries.push_back(std::move(entry));
  }
  return entries;
}

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
class Tree {
 public:
  explicit Tree(const TextFile& file) : file_(file) {}

  void add(const Entry& entry) {
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
class Blocks {
 public:
  explicit Blocks(const TextFile& file) : file_(file) {}

  void add(const Entry& entry) {
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

bool is_block_entry(const Entry& entry) {
  return entry.find("blockname") != nullptr || entry.find("blocksizes") != nullptr;
}

template <typename Plugin>
SlurmTopology build_with(const TextFile& file, const std::vector<Entry>& entries) {
  Plugin plugin(file);
  for (const Entry& entry : entries) plugin.add(entry);
  return plugin.build();
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
  const std::string beginning = lower(text.substr(0, std::size_t{1} << 16));
  return beginning.find("switchname=") != std::string::npos ||
         beginning.find("blockname=") != std::string::npos;
}

SlurmTopology parse_slurm_topology(const TextFile& file) {
  const std::vector<Entry> entries = parse_entries(file);
  if (entries.empty()) fail_at(file, 1, "no switch and no block is described");
  const bool blocks = is_block_entry(entries.front());
  for (const Entry& entry : entries) {
    const bool mixed =
        is_block_entry(entry) != blocks || (blocks && entry.find("switchname") != nullptr);
    if (mixed) fail_at(file, entry.line, "a file describes switches or blocks, not both");
  }
  return blocks ? build_with<Blocks>(file, entries) : build_with<Tree>(file, entries);
}

std::vector<NodeGroup> groups_of_addresses(const std::vector<std::string>& addresses,
                                           const std::string& pattern) {
  const std::size_t depth = split(pattern, '.').size();
  std::map<std::pair<int, std::string>, NodeGroup> groups;
  for (std::size_t node = 0; node < addresses.size(); ++node) {
    // A node's own name may hold dots; the switches' names before it do not.
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
