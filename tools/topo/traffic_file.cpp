#include "tools/topo/traffic_file.hpp"

#include "base/json_reader.hpp"

#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// The network's link that an entry of "links" is about.
std::size_t link_of(const JsonReader& json, const LocatedJson& entry, const Network& network) {
  const LocatedJson& number = json.need(entry, "cable");
  const auto cable = static_cast<std::size_t>(
      json.whole_number(number, 0, network.cables() - 1,
                        fmt::format("the number of a cable, 0 to {}", network.cables() - 1)));
  const LocatedJson& from = json.need(entry, "from");
  const std::string& name = json.text(from, "a node's name");
  for (const std::size_t link : {2 * cable, 2 * cable + 1}) {
    if (network.name(network.links()[link].from) == name) return link;
  }
  json.fail(from, fmt::format("cable {} has no end at node {}", cable, name));
}

}  // namespace

NetworkTraffic parse_traffic_file(const TextFile& file, const Network& network) {
  constexpr double most = 1e18;
  const JsonReader json(file);
  const LocatedJson document = json.document();
  if (network.cables() == 0) json.fail(document, "the network has no cables");
  NetworkTraffic traffic;
  traffic.seconds = json.number(json.need(document, "seconds"), 0, most, "seconds");
  traffic.of_link.resize(network.links().size());
  std::vector<bool> known(network.links().size(), false);
  for (const LocatedJson& entry : json.list(document, "links")) {
    const std::size_t link = link_of(json, entry, network);
    if (known[link]) json.fail(entry, "this direction of the cable is listed twice");
    known[link] = true;
    const bool* up = json.need(entry, "up").as<bool>();
    if (up == nullptr) json.fail(entry, "\"up\" is true or false");
    traffic.of_link[link] = {json.not_negative(json.need(entry, "bytes")), *up};
  }
  for (std::size_t link = 0; link < known.size(); ++link) {
    if (known[link]) continue;
    json.fail(document, fmt::format("the traffic from {} over cable {} is not there",
                                    network.name(network.links()[link].from), link / 2));
  }
  return traffic;
}

}  // namespace cuboid::detail::tools
