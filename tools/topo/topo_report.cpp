#include "tools/topo/topo_report.hpp"

#include <cuboid/grid.hpp>

#include "base/counted.hpp"
#include "base/page_text.hpp"
#include "topology/discovery/doubts.hpp"
#include "topology/shape/rate.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

/// The ranks on every node of the network.
std::vector<std::vector<int>> ranks_of_nodes(const Discovery& discovery) {
  std::vector<std::vector<int>> ranks(static_cast<std::size_t>(discovery.network.nodes()));
  for (std::size_t rank = 0; rank < discovery.node_of_rank.size(); ++rank) {
    ranks[static_cast<std::size_t>(discovery.node_of_rank[rank])].push_back(static_cast<int>(rank));
  }
  return ranks;
}

/// The number of ranks on each used node; nullopt if it differs between nodes or there are none.
std::optional<std::size_t> ranks_per_node(const Discovery& discovery) {
  std::optional<std::size_t> common;
  for (const std::vector<int>& ranks : ranks_of_nodes(discovery)) {
    if (ranks.empty()) continue;
    if (common && *common != ranks.size()) return std::nullopt;
    common = ranks.size();
  }
  return common;
}

Json shape_json(const Discovery& discovery) {
  const auto shape = discovery.shape();
  if (!shape) return nullptr;
  Json extents = Json::array();
  Json wraps = Json::array();
  for (const Axis& axis : shape->axes()) {
    extents.push_back(axis.extent);
    wraps.push_back(axis.wraps);
  }
  return {{"extents", extents}, {"wraps", wraps}, {"text", shape->to_string()}};
}

Json coordinate_json(const Discovery& discovery, int node) {
  const auto coordinate = discovery.coordinate(node);
  return coordinate ? Json(*coordinate) : Json(nullptr);
}

Json nodes_json(const Discovery& discovery) {
  const std::vector<std::vector<int>> ranks = ranks_of_nodes(discovery);
  Json nodes = Json::array();
  for (int node = 0; node < discovery.network.nodes(); ++node) {
    nodes.push_back({{"name", discovery.network.name(node)},
                     {"role", discovery.network.role(node) == Role::host ? "host" : "switch"},
                     {"coordinate", coordinate_json(discovery, node)},
                     {"ranks", ranks[static_cast<std::size_t>(node)]}});
  }
  return nodes;
}

Json links_json(const Network& network) {
  Json links = Json::array();
  for (const Link& link : network.links()) {
    links.push_back({{"from", network.name(link.from)},
                     {"to", network.name(link.to)},
                     {"bits_per_second", link.bytes_per_second > 0 ? Json(link.bytes_per_second * 8)
                                                                   : Json(nullptr)}});
  }
  return links;
}

Json hosts_json(const Discovery& discovery) {
  Json hosts = Json::array();
  for (std::size_t host = 0; host < discovery.insides.size(); ++host) {
    const Node& inside = discovery.insides[host];
    Json caches = Json::array();
    for (const CacheLevel& cache : inside.caches) {
      caches.push_back({{"level", cache.level}, {"bytes", cache.bytes}, {"count", cache.count}});
    }
    hosts.push_back({{"name", discovery.hosts.names[host]},
                     {"packages", inside.packages},
                     {"numa_nodes", inside.numa_nodes},
                     {"cores", inside.cores.size()},
                     {"threads_per_core", inside.threads_per_core},
                     {"memory_bytes", inside.memory_bytes},
                     {"caches", caches}});
  }
  return hosts;
}

/// The grids onto which a matrix multiplication would be mapped.
struct Grids {
  std::optional<Mapping> two;
  std::optional<Mapping> two_and_a_half;
};

/// The cheapest grid of more than one layer. It has at most as many layers as the cube root of the
/// number of ranks: more replication brings no gain.
std::optional<Mapping> cheapest_layered(const Placement& placement) {
  std::optional<Mapping> best;
  for (int layers = 2; layers * layers * layers <= placement.ranks(); ++layers) {
    if (placement.ranks() % layers != 0) continue;
    Mapping mapping = choose_grid_25d(placement, layers);
    if (!best || mapping.cost < best->cost) best = std::move(mapping);
  }
  return best;
}

Grids choose_grids(const Discovery& discovery) {
  if (discovery.node_of_rank.empty()) return {};
  const Placement placement = placement_of(discovery);
  if (!placement.full()) return {};
  return {choose_grid_2d(placement), cheapest_layered(placement)};
}

Json mapping_json(const std::optional<Mapping>& mapping) {
  if (!mapping) return nullptr;
  return {{"extents", mapping->grid.extents()},
          {"text", mapping->grid.to_string()},
          {"cost", mapping->cost}};
}

std::string rate_text(double bytes_per_second) {
  return bytes_per_second > 0 ? rounded_rate(bytes_per_second) : "unknown";
}

/// The columns of a line's name.
constexpr std::size_t name_width = 11;

/// Collects lines "name    text". Of consecutive lines with the same name, only the first shows it.
class Lines {
 public:
  template <typename... Arguments>
  void add(std::string_view name, fmt::format_string<Arguments...> format,
           Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), "{:<{}}", name == last_ ? "" : name, name_width);
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
    last_ = name;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string last_;
};

/// Longer lists are truncated; --json shows all entries.
constexpr std::size_t longest_list = 64;

void add_shape(Lines& lines, const Discovery& discovery) {
  if (!discovery.recognition) {
    lines.add("shape", "unknown: this source does not list the cables");
    return;
  }
  const Recognition& recognition = *discovery.recognition;
  lines.add("shape", "{}", recognition.explanation());
  for (int axis = 0; axis < recognition.shape.dimensions(); ++axis) {
    const auto number = static_cast<std::size_t>(axis);
    lines.add("axis", "{}: {} nodes, {}, link rate {}", axis, recognition.shape.extent(axis),
              recognition.shape.wraps(axis) ? "wraps around" : "open",
              rate_text(recognition.bytes_per_second[number]));
  }
}

void add_links(Lines& lines, const Network& network) {
  std::map<double, int> cables_of_rate;
  std::size_t switches = 0;
  for (int node = 0; node < network.nodes(); ++node)
    switches += network.role(node) == Role::network_switch ? 1 : 0;
  for (int cable = 0; cable < network.cables(); ++cable) {
    ++cables_of_rate[network.links()[static_cast<std::size_t>(2 * cable)].bytes_per_second];
  }
  lines.add("nodes", "{}{}", counted(static_cast<std::size_t>(network.nodes()) - switches, "host"),
            switches == 0 ? "" : ", " + counted(switches, "switch"));
  for (const auto& [rate, cables] : cables_of_rate) {
    lines.add("cables", "{} with rate {} per direction", cables, rate_text(rate));
  }
}

void add_insides(Lines& lines, const Discovery& discovery) {
  for (std::size_t first = 0, next = 0; first < discovery.insides.size(); first = next) {
    next = first + 1;
    while (next < discovery.insides.size() && discovery.insides[next] == discovery.insides[first])
      ++next;
    const std::string& name = discovery.hosts.names[first];
    lines.add(
        "inside", "{}: {}",
        next - first == 1 ? name : fmt::format("{} to {}", name, discovery.hosts.names[next - 1]),
        to_string(discovery.insides[first]));
  }
}

void add_ranks(Lines& lines, const Discovery& discovery) {
  const std::size_t ranks = discovery.node_of_rank.size();
  for (std::size_t rank = 0; rank < std::min(ranks, longest_list); ++rank) {
    const int node = discovery.node_of_rank[rank];
    const auto coordinate = discovery.coordinate(node);
    const Binding& binding = discovery.bindings[rank];
    const std::string quota = static_cast<std::size_t>(binding.usable_cores) < binding.cores.size()
                                  ? fmt::format(", at most {} at a time", binding.usable_cores)
                                  : "";
    lines.add(
        "ranks", "{:>4}  {}{}  cores {}{}", rank, discovery.network.name(node),
        coordinate && !coordinate->empty() ? fmt::format(" ({})", fmt::join(*coordinate, ",")) : "",
        ranges_to_string(binding.cores), quota);
  }
  if (ranks > longest_list)
    lines.add("ranks", "... and {} more (--json has all)", ranks - longest_list);
}

/// Groups of ranks on one host that share a core, a cache or a NUMA node.
void add_sharing(Lines& lines, const Discovery& discovery) {
  constexpr std::pair<Sharing, std::string_view> levels[] = {{Sharing::core, "a core"},
                                                             {Sharing::cache, "a last-level cache"},
                                                             {Sharing::numa, "a NUMA node"}};
  for (std::size_t host = 0; host < std::min(discovery.insides.size(), longest_list); ++host) {
    std::vector<Binding> bindings;
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < discovery.bindings.size(); ++rank) {
      if (static_cast<std::size_t>(discovery.hosts.of_rank[rank]) != host) continue;
      bindings.push_back(discovery.bindings[rank]);
      ranks.push_back(static_cast<int>(rank));
    }
    for (const auto& [level, name] : levels) {
      for (std::vector<int> group : ranks_sharing(level, discovery.insides[host], bindings)) {
        for (int& member : group) member = ranks[static_cast<std::size_t>(member)];
        lines.add("sharing", "ranks {} share {} of {}", ranges_to_string(group), name,
                  discovery.hosts.names[host]);
      }
    }
  }
}

void add_grids(Lines& lines, const Discovery& discovery) {
  const Grids grids = choose_grids(discovery);
  if (grids.two) lines.add("2-D grid", "{}", grids.two->grid.to_string());
  if (grids.two_and_a_half) {
    lines.add("2.5-D grid", "{}", grids.two_and_a_half->grid.to_string());
  }
}

/// Adds the devices of the host that prints.
void add_devices(Lines& lines, const DevicesHere& here) {
  constexpr double gibibyte = 1 << 30;
  for (const DeviceDescription& device : here.devices)
    lines.add("devices", "{:>4}  {}, {:.0f} GiB, compute capability {}, {}", device.number,
              device.name, static_cast<double>(device.memory) / gibibyte, device.capability,
              device.pci);
}

Json devices_json(const DevicesHere& here) {
  Json devices = Json::array();
  for (const DeviceDescription& device : here.devices)
    devices.push_back({{"number", device.number},
                       {"name", device.name},
                       {"memory_bytes", device.memory},
                       {"capability", device.capability},
                       {"pci", device.pci}});
  return devices;
}

void add_groups(Lines& lines, const Discovery& discovery) {
  const std::size_t shown = std::min(discovery.groups.size(), longest_list);
  for (std::size_t i = 0; i < shown; ++i) {
    const NodeGroup& group = discovery.groups[i];
    lines.add("groups", "level {}: {}: {}", group.level, group.name,
              counted(group.nodes.size(), "node"));
  }
  if (shown < discovery.groups.size()) {
    lines.add("groups", "... and {} more (--json has all)", discovery.groups.size() - shown);
  }
}

}  // namespace

std::string topo_text(const Discovery& discovery, const DevicesHere& devices) {
  Lines lines;
  lines.add("source", "{}: {}", to_string(discovery.source), discovery.evidence);
  add_shape(lines, discovery);
  add_links(lines, discovery.network);
  add_groups(lines, discovery);
  add_insides(lines, discovery);
  add_ranks(lines, discovery);
  add_sharing(lines, discovery);
  add_devices(lines, devices);
  add_grids(lines, discovery);
  for (const std::string& doubt : doubts_about(discovery)) lines.add("doubt", "{}", doubt);
  for (const SkippedSource& skipped : discovery.skipped) {
    lines.add("not used", "{}: {}", to_string(skipped.source), skipped.reason);
  }
  return folded(lines.take(), name_width);
}

Json topo_json(const Discovery& discovery, const DevicesHere& devices) {
  const auto per_node = ranks_per_node(discovery);
  const Grids grids = choose_grids(discovery);
  Json object = {
      {"source", to_string(discovery.source)},
      {"evidence", discovery.evidence},
      {"shape", shape_json(discovery)},
      {"explanation",
       discovery.recognition ? Json(discovery.recognition->explanation()) : Json(nullptr)},
      {"nodes", nodes_json(discovery)},
      {"links", links_json(discovery.network)},
      {"ranks_per_node", per_node ? Json(*per_node) : Json(nullptr)},
      {"coordinates", Json::array()},
      {"grids",
       {{"two", mapping_json(grids.two)}, {"two_and_a_half", mapping_json(grids.two_and_a_half)}}},
      {"groups", Json::array()},
      {"hosts", hosts_json(discovery)},
      {"devices", devices_json(devices)},
      {"bindings", Json::array()},
      {"doubts", doubts_about(discovery)},
      {"skipped", Json::array()}};
  for (const int node : discovery.node_of_rank)
    object["coordinates"].push_back(coordinate_json(discovery, node));
  for (const NodeGroup& group : discovery.groups) {
    object["groups"].push_back(
        {{"name", group.name}, {"level", group.level}, {"nodes", group.nodes}});
  }
  for (const Binding& binding : discovery.bindings) {
    object["bindings"].push_back(
        {{"cores", binding.cores}, {"usable_cores", binding.usable_cores}});
  }
  for (const SkippedSource& skipped : discovery.skipped) {
    object["skipped"].push_back(
        {{"source", to_string(skipped.source)}, {"reason", skipped.reason}});
  }
  return object;
}

}  // namespace cuboid::detail::tools
