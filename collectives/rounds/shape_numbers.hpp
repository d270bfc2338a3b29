#pragma once

#include <cuboid/shape.hpp>

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The number of the node that is at these distances from node 0, by axis.
NodeIndex number_of(const Shape& shape, std::span<const int> distances);

/// The senders of messages to the node at `distance` from each (node_at()): all ranks or, with
/// `only`, that rank and the rank whose message it receives.
std::vector<int> senders(const Shape& shape, NodeIndex distance, std::optional<int> only);

/// The nodes whose position on every axis is one of `positions`. They are in ascending order if the
/// positions of each axis are.
std::vector<int> nodes_at(const Shape& shape, std::span<const std::vector<int>> positions);

}  // namespace cuboid::detail
