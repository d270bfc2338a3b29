#pragma once

#include <cuboid/discovery.hpp>
#include <cuboid/network.hpp>

#include <optional>
#include <span>

namespace cuboid::detail {

/// The subnetwork of some hosts. It consists of these hosts, which become nodes 0, 1, 2, … in the
/// given order, of all switches, and of all cables between these nodes. Throws
/// Error(invalid_argument) for a repeated host.
Network induced(const Network& network, std::span<const int> hosts);

/// The subnetwork of some hosts of a discovered network; nullopt if its cables are unknown or do
/// not connect the hosts.
std::optional<Network> network_between(const Discovery& discovery, std::span<const int> hosts);

/// True if a discovered network is the graph of its shape, node by node, with coordinates as names.
bool is_told_by_shape(const Discovery& discovery);

/// A discovered network. If the discovery left it out, it is made again from the shape.
class WholeNetwork {
 public:
  /// `discovery` must outlive this.
  explicit WholeNetwork(const Discovery& discovery);
  const Network& get() const { return remade_ ? *remade_ : discovery_.network; }

 private:
  const Discovery& discovery_;
  std::optional<Network> remade_;
};

}  // namespace cuboid::detail
