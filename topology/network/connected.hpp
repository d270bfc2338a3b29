#pragma once

#include <cuboid/network.hpp>

#include <optional>

namespace cuboid::detail {

/// The first node that no cables lead to from node 0, or nullopt where all are connected.
std::optional<int> unreachable_node(const Network& network);

}  // namespace cuboid::detail
