#pragma once

#include <cuboid/discovery.hpp>
#include <cuboid/network.hpp>

#include <optional>
#include <span>

namespace cuboid::detail {

/// The part of a network that some of its hosts have to themselves: these hosts, which become nodes
/// 0, 1, 2, … in the order given, then all switches, and the cables between any of them. Throws
/// Error(invalid_argument) for a host given twice.
Network induced(const Network& network, std::span<const int> hosts);

/// The same of a network that was discovered; nullopt where its cables are not known, or do not
/// connect the hosts.
std::optional<Network> network_between(const Discovery& discovery, std::span<const int> hosts);

}  // namespace cuboid::detail
