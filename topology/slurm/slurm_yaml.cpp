#include "topology/slurm/slurm_yaml.hpp"

#include "base/json_reader.hpp"
#include "topology/slurm/located_yaml.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// The name of an entry's key in YAML and its name in a topology.conf.
using KeyNames = std::pair<const char*, const char*>;

class SlurmYamlReader {
 public:
  explicit SlurmYamlReader(const TextFile& file) : file_(file), reader_(file) {}

  std::vector<SlurmEntry> entries() {
    const LocatedJson document = parse_located_yaml(file_);
    const LocatedJson& topology = chosen(document);
    if (const LocatedJson* tree = reader_.find(topology, "tree")) {
      reader_.check_keys(*tree, {"switches"});
      constexpr std::array<KeyNames, 3> keys = {
          {{"switch", "switchname"}, {"children", "switches"}, {"nodes", "nodes"}}};
      for (const LocatedJson& one : reader_.list(*tree, "switches")) add(one, keys);
    } else if (const LocatedJson* block = reader_.find(topology, "block")) {
      reader_.check_keys(*block, {"blocks", "block_sizes"});
      constexpr std::array<KeyNames, 2> keys = {{{"block", "blockname"}, {"nodes", "nodes"}}};
      for (const LocatedJson& one : reader_.list(*block, "blocks")) add(one, keys);
      if (const LocatedJson* sizes = reader_.find(*block, "block_sizes")) add_sizes(*sizes);
    } else {
      reader_.fail(
          topology,
          "this topology has neither a tree nor blocks, so it groups no nodes; Cuboid reads "
          "the one with cluster_default: true, else the first");
    }
    return std::move(entries_);
  }

 private:
  const LocatedJson& chosen(const LocatedJson& document) const {
    const auto* topologies = document.as<LocatedJson::List>();
    if (topologies == nullptr || topologies->empty())
      reader_.fail(document, "expected a list of topologies: - topology: NAME");
    for (const LocatedJson& topology : *topologies) {
      const LocatedJson* is_default = reader_.find(topology, "cluster_default");
      const std::string* word = is_default == nullptr ? nullptr : is_default->as<std::string>();
      if (word != nullptr && lower_case(*word) == "true") return topology;
    }
    return topologies->front();
  }

  template <std::size_t N>
  void add(const LocatedJson& object, const std::array<KeyNames, N>& keys) {
    SlurmEntry entry{&file_, object.line, {}};
    for (const auto& [name, value] : reader_.members(object)) {
      const auto* known = keys.begin();
      while (known != keys.end() && name != known->first) ++known;
      if (known == keys.end()) reader_.fail(value, fmt::format("unknown key {}", in_quotes(name)));
      if (!std::holds_alternative<std::nullptr_t>(value.value))
        entry.values.emplace_back(known->second, reader_.text(value, "text"));
    }
    entries_.push_back(std::move(entry));
  }

  void add_sizes(const LocatedJson& sizes) {
    std::string joined;
    if (const auto* list = sizes.as<LocatedJson::List>()) {
      for (const LocatedJson& size : *list)
        joined += (joined.empty() ? "" : ",") + reader_.text(size, "a block's size");
    } else {
      joined = reader_.text(sizes, "a list of block sizes");
    }
    entries_.push_back({&file_, sizes.line, {{"blocksizes", joined}}});
  }

  const TextFile& file_;
  JsonReader reader_;
  std::vector<SlurmEntry> entries_;
};

}  // namespace

bool is_slurm_yaml(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    Cursor cursor(line);
    cursor.skip_spaces();
    if (cursor.at_end() || cursor.rest().starts_with('#') || cursor.rest().starts_with("---") ||
        cursor.rest().front() == '\r')
      continue;
    if (!cursor.take("-")) return false;
    cursor.skip_spaces();
    return cursor.rest().starts_with("topology:");
  }
  return false;
}

std::vector<SlurmEntry> parse_slurm_yaml(const TextFile& file) {
  return SlurmYamlReader(file).entries();
}

}  // namespace cuboid::detail
