#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The IPv4 addresses of this host's interfaces that are up, without loopback, e.g. "10.0.0.1".
std::vector<std::string> own_addresses();

/// The interfaces by which this host's routes lead to these addresses. Addresses that this host has
/// itself are left out: bridges of containers have the same address on every host. No packet is
/// sent.
std::set<std::string> interfaces_towards(std::span<const std::string> addresses);

}  // namespace cuboid::detail
