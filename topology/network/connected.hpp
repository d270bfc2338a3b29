#pragma once

#include <cuboid/network.hpp>

#include <optional>

namespace cuboid::detail {

/// The first node that cannot be reached from node 0; nullopt if the network is connected.
std::optional<int> unreachable_node(const Network& network);

}  // namespace cuboid::detail
