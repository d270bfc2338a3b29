#include "tools/topo/topo_export.hpp"

#include "base/xml_text.hpp"
#include "tools/output/flag_values.hpp"
#include "topology/machine/hwloc_topology.hpp"
#include "topology/shape/rate.hpp"
#include "topology/sources/network_file.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

namespace {

/// Calls `use` with one link of each cable. The links of a network come in pairs, one per direction
/// of a cable.
template <class Use>
void for_each_cable(const Network& network, const Use& use) {
  for (std::size_t link = 0; link < network.links().size(); link += 2) use(network.links()[link]);
}

std::string quoted(const std::string& name) {
  return nlohmann::json(name).dump();
}

std::string graphviz(const Network& network) {
  std::string text = "graph network {\n  node [shape=circle]\n";
  for (int node = 0; node < network.nodes(); ++node) {
    const bool is_switch = network.role(node) == Role::network_switch;
    text += fmt::format("  {}{}\n", quoted(network.name(node)), is_switch ? " [shape=box]" : "");
  }
  for_each_cable(network, [&](const Link& cable) {
    text +=
        fmt::format("  {} -- {}", quoted(network.name(cable.from)), quoted(network.name(cable.to)));
    if (cable.bytes_per_second > 0)
      text += fmt::format(" [label=\"{}\"]", rate_to_string(cable.bytes_per_second));
    text += "\n";
  });
  return text + "}\n";
}

std::string simgrid_platform(const Network& network) {
  std::string text =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n <zone id=\"network\" routing=\"Dijkstra\">\n";
  for (int node = 0; node < network.nodes(); ++node) {
    const std::string name = xml_text(network.name(node));
    text += network.role(node) == Role::network_switch
                ? fmt::format("  <router id=\"{}\"/>\n", name)
                : fmt::format("  <host id=\"{}\" speed=\"1Gf\"/>\n", name);
  }
  int number = 0;
  std::string routes;
  for (const Link& link : network.links()) {
    const std::string from = xml_text(network.name(link.from));
    const std::string to = xml_text(network.name(link.to));
    if (link.bytes_per_second <= 0) {
      refuse(
          fmt::format("--export: the rate of the cable from {} to {} is unknown, and a SimGrid "
                      "platform needs it: state the network with rates (--topology)",
                      network.name(link.from), network.name(link.to)));
    }
    const std::string id = fmt::format("link{}", number++);
    text += fmt::format("  <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"0s\"/>\n", id,
                        link.bytes_per_second);
    routes += fmt::format(
        "  <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\"><link_ctn id=\"{}\"/></route>\n", from,
        to, id);
  }
  return text + routes + " </zone>\n</platform>\n";
}

}  // namespace

std::string exported(const Network& network, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".dot" || ending == ".gv") return graphviz(network);
  if (ending == ".json") return detail::to_json(network) + "\n";
  if (ending == ".xml") return simgrid_platform(network);
  if (ending == ".hwloc") return hwloc_xml();
  refuse(
      fmt::format("--export {}: give a name that ends in .dot or .gv (Graphviz), .json "
                  "(CUBOID_TOPOLOGY=file:), .xml (SimGrid), or .hwloc (hwloc's XML of this node)",
                  path));
}

}  // namespace cuboid::detail::tools
