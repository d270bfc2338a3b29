#include "topology/discovery/induced.hpp"

#include <vector>

namespace cuboid::detail {

namespace {

bool connects(const Network& network, std::size_t hosts) {
  std::vector<bool> reached(static_cast<std::size_t>(network.nodes()), false);
  std::vector<int> queue = {0};
  reached[0] = true;
  std::size_t hosts_reached = 0;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    if (static_cast<std::size_t>(queue[next]) < hosts) ++hosts_reached;
    for (const int link : network.links_from(queue[next])) {
      const int to = network.links()[static_cast<std::size_t>(link)].to;
      if (reached[static_cast<std::size_t>(to)]) continue;
      reached[static_cast<std::size_t>(to)] = true;
      queue.push_back(to);
    }
  }
  return hosts_reached == hosts;
}

}  // namespace

Network induced(const Network& network, std::span<const int> hosts) {
  Network part;
  std::vector<int> number(static_cast<std::size_t>(network.nodes()), -1);
  const auto add = [&](int node) {
    number[static_cast<std::size_t>(node)] = part.add_node(network.name(node), network.role(node));
  };
  for (const int host : hosts) add(host);
  for (int node = 0; node < network.nodes(); ++node) {
    if (network.role(node) == Role::network_switch && number[static_cast<std::size_t>(node)] < 0)
      add(node);
  }
  for (int cable = 0; cable < network.cables(); ++cable) {
    const Link& link = network.links()[2 * static_cast<std::size_t>(cable)];
    const int a = number[static_cast<std::size_t>(link.from)];
    const int b = number[static_cast<std::size_t>(link.to)];
    if (a >= 0 && b >= 0) part.add_cable(a, b, link.bytes_per_second);
  }
  return part;
}

std::optional<Network> network_between(const Discovery& discovery, std::span<const int> hosts) {
  if (!discovery.recognition || hosts.empty()) return std::nullopt;
  Network part = induced(WholeNetwork(discovery).get(), hosts);
  if (!connects(part, hosts.size())) return std::nullopt;
  return part;
}

bool is_told_by_shape(const Discovery& discovery) {
  return discovery.source == Source::shape && discovery.recognition &&
         discovery.recognition->whole &&
         discovery.network.nodes() == discovery.recognition->shape.nodes();
}

WholeNetwork::WholeNetwork(const Discovery& discovery) : discovery_(discovery) {
  const auto& recognition = discovery.recognition;
  if (discovery.network.nodes() == 0 && recognition)
    remade_ = Network::of_shape(recognition->shape, recognition->bytes_per_second);
}

}  // namespace cuboid::detail
