#include "topology/sources/shape_network.hpp"

#include <cuboid/error.hpp>

#include <string>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

void check_inside(const Shape& shape, const std::string& host, const Coordinate& coordinate) {
  bool inside = coordinate.size() == shape.axes().size();
  for (std::size_t axis = 0; inside && axis < coordinate.size(); ++axis) {
    inside = coordinate[axis] >= 0 && coordinate[axis] < shape.extent(static_cast<int>(axis));
  }
  if (!inside) {
    throw Error(ErrorCode::mismatch,
                fmt::format("host {} has coordinate {}, which is no node of {}", host,
                            fmt::join(coordinate, ","), shape.to_string()));
  }
}

}  // namespace

Network network_with_hosts(const ShapeSpec& spec, const Hosts& hosts,
                           std::span<const Coordinate> coordinates) {
  const Network plain = Network::of_shape(spec.shape, spec.bytes_per_second);
  std::vector<std::string> names;
  for (int node = 0; node < plain.nodes(); ++node) names.push_back(plain.name(node));
  for (std::size_t host = 0; host < coordinates.size(); ++host) {
    check_inside(spec.shape, hosts.names[host], coordinates[host]);
    names[static_cast<std::size_t>(spec.shape.index(coordinates[host]))] = hosts.names[host];
  }
  Network network;
  for (const std::string& name : names) network.add_node(name);
  for (int cable = 0; cable < plain.cables(); ++cable) {
    const Link& link = plain.links()[static_cast<std::size_t>(2 * cable)];
    network.add_cable(link.from, link.to, link.bytes_per_second);
  }
  return network;
}

std::vector<int> nodes_of_ranks(const Shape& shape, const Hosts& hosts,
                                std::span<const Coordinate> coordinates) {
  std::vector<int> nodes;
  for (const int host : hosts.of_rank) {
    nodes.push_back(static_cast<int>(shape.index(coordinates[static_cast<std::size_t>(host)])));
  }
  return nodes;
}

}  // namespace cuboid::detail
