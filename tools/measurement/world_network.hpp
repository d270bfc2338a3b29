#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/discovery.hpp>

#include <optional>

namespace cuboid::detail::tools {

/// The network of the ranks; nullopt if all ranks share a node and CUBOID_TOPOLOGY gives no network
/// to emulate. Collective.
std::optional<Discovery> network_of(const Communicator& world);

}  // namespace cuboid::detail::tools
