#pragma once

#include <cuboid/discovery.hpp>
#include <cuboid/network.hpp>

#include <optional>
#include <span>

namespace cuboid::detail {

/// The subnetwork of some hosts: these hosts, which become nodes 0, 1, 2, … in the given order, all
/// switches, and all cables between these. Throws Error(invalid_argument) for a repeated host.
Network induced(const Network& network, std::span<const int> hosts);

/// The same for a discovered network; nullopt if its cables are unknown or do not connect the
/// hosts.
std::optional<Network> network_between(const Discovery& discovery, std::span<const int> hosts);

/// True if a discovered network is the graph of its shape, node by node, named by coordinates.
bool is_told_by_shape(const Discovery& discovery);

/// A discovered network; where it was left out, the graph of its shape.
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
