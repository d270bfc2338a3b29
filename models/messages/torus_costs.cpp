#include "models/messages/torus_costs.hpp"

#include "topology/network/shape_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cuboid::detail {

namespace {

/// The start-up time. It is the sum of `byte_seconds`, the slowest of the transfers that run at the
/// same time; (c − 1)·o for the further trees; and 3o + 3L for the handshake and the get.
double start_seconds(const LogGP& network, const Partition& partition, double byte_seconds) {
  const double o = network.send_overhead, L = network.latency;
  return byte_seconds + (partition.trees - 1) * o + 3 * (o + L);
}

double link_seconds(const LogGP& network, const Partition& partition, double bytes) {
  return bytes / partition.trees * network.byte_gap;
}

double hop_seconds(const LogGP& network) {
  return network.send_overhead + network.receive_overhead + network.latency;
}

}  // namespace

Partition partition(const Shape& shape) {
  Partition result{.nodes = static_cast<double>(shape.nodes())};
  for (const Axis& axis : shape.axes()) {
    if (axis.extent == 1) continue;
    result.dimensions += 1;
    result.hops += axis.extent;
  }
  // The number of links in the narrowest cut.
  if (shape.nodes() > 1) result.trees = broadcast_bound(shape, std::array{1.0});
  return result;
}

Partition cube(double extent, double dimensions) {
  if (extent <= 1) return {};
  return {.nodes = std::pow(extent, dimensions),
          .dimensions = dimensions,
          .trees = 2 * dimensions,
          .hops = dimensions * extent};
}

double rectangular_start_seconds(const LogGP& network, const Partition& partition, double bytes) {
  if (partition.nodes <= 1) return 0;
  return start_seconds(network, partition, link_seconds(network, partition, bytes));
}

double rectangular_path_seconds(const LogGP& network, const Partition& partition) {
  return partition.hops * hop_seconds(network);
}

double rectangular_multicast_seconds(const LogGP& network, const Partition& partition,
                                     double bytes) {
  return rectangular_start_seconds(network, partition, bytes) +
         rectangular_path_seconds(network, partition);
}

double rectangular_reduction_seconds(const LogGP& network, const Partition& partition,
                                     const NodeRates& rates, double bytes) {
  if (partition.nodes <= 1) return 0;
  const auto at = [](double amount, double rate) { return rate > 0 ? amount / rate : 0; };
  const double slowest =
      std::max({at(bytes / 8, rates.flops_per_second), at(3 * bytes, rates.memory_bytes_per_second),
                link_seconds(network, partition, bytes)});
  return start_seconds(network, partition, slowest) + rectangular_path_seconds(network, partition);
}

double binomial_multicast_seconds(const LogGP& network, const Partition& partition, double bytes) {
  if (partition.nodes <= 1) return 0;
  return std::log2(partition.nodes) *
         (link_seconds(network, partition, bytes) + hop_seconds(network));
}

}  // namespace cuboid::detail
