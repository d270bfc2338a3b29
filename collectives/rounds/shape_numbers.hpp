#pragma once

#include <cuboid/shape.hpp>

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The number that a node has that is so far from the first one along every axis.
NodeIndex number_of(const Shape& shape, std::span<const int> distances);

/// The ranks whose messages to those so far from them (node_at()) concern `only`, or all.
std::vector<int> senders(const Shape& shape, NodeIndex distance, std::optional<int> only);

/// The nodes at these positions along every axis; ascending, if the positions are.
std::vector<int> nodes_at(const Shape& shape, std::span<const std::vector<int>> positions);

}  // namespace cuboid::detail
