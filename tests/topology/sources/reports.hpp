#pragma once

#include <cuboid/shape.hpp>

#include "topology/machine/report.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::test {

/// A rank's report from a host that knows nothing of its network.
inline LocalReport report_of(const std::string& host) {
  LocalReport report;
  report.host = {host, "boot", 1};
  report.topology_origin = "CUBOID_TOPOLOGY";
  report.coordinate.origin = "CUBOID_COORDINATE";
  report.node.cores.resize(2);
  report.binding = {{0, 1}, 2};
  return report;
}

/// Hosts h0, h1, ... with addresses 10.0.0.1, ... on a loopback-like device, to be joined by
/// cables.
class CabledHosts {
 public:
  explicit CabledHosts(int hosts) {
    for (int host = 0; host < hosts; ++host) {
      reports.push_back(report_of(fmt::format("h{}", host)));
      reports.back().kernel.addresses = {address(host)};
    }
  }

  static std::string address(int host) { return fmt::format("10.0.0.{}", host + 1); }

  /// Adds a link that is up behind which nobody is known; returns it.
  LinkReport& add_link(int host, double bytes_per_second = 0) {
    auto& links = reports[static_cast<std::size_t>(host)].kernel.links;
    LinkReport link;
    link.name = fmt::format("eth{}", links.size());
    link.hardware_address = fmt::format("02:00:00:00:{:02x}:{:02x}", host, links.size());
    link.bytes_per_second = bytes_per_second;
    return links.emplace_back(link);
  }

  /// Adds a link with a host route to another host.
  LinkReport& add_link_to(int host, int other, double bytes_per_second = 0) {
    LinkReport& link = add_link(host, bytes_per_second);
    link.neighbours.push_back({address(other), ""});
    return link;
  }

  /// Adds both ends of a cable, each with a host route to the other.
  void add_cable(int a, int b, double bytes_per_second = 0) {
    add_link_to(a, b, bytes_per_second);
    add_link_to(b, a, bytes_per_second);
  }

  /// All cables of a shape.
  static CabledHosts of_shape(const Shape& shape, double bytes_per_second = 0) {
    CabledHosts hosts(static_cast<int>(shape.nodes()));
    for (NodeIndex node = 0; node < shape.nodes(); ++node) {
      for (int axis = 0; axis < shape.dimensions(); ++axis) {
        const NodeIndex next = shape.neighbour(node, axis, +1);
        if (next >= 0)
          hosts.add_cable(static_cast<int>(node), static_cast<int>(next), bytes_per_second);
      }
    }
    return hosts;
  }

  std::vector<LocalReport> reports;
};

}  // namespace cuboid::detail::test
