#pragma once

#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include "topology/machine/hosts.hpp"

#include <span>
#include <vector>

namespace cuboid::detail {

/// The network of a shape with hosts at given coordinates (one per host). A node with a host has
/// the host's name; other nodes are named by their coordinate. Throws Error(mismatch) for a
/// coordinate outside the shape or with another number of axes.
Network network_with_hosts(const ShapeSpec& spec, const Hosts& hosts,
                           std::span<const Coordinate> coordinates);

/// The node of each rank in such a network.
std::vector<int> nodes_of_ranks(const Shape& shape, const Hosts& hosts,
                                std::span<const Coordinate> coordinates);

}  // namespace cuboid::detail
