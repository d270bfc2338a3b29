#pragma once

#include <cuboid/shape.hpp>

#include "models/messages/log_gp.hpp"

namespace cuboid::detail {

/// The quantities of a partition (a k-ary d-cube) that Solomonik et al. 2011, §4 use. Axes of
/// extent 1 do not count.
struct Partition {
  double nodes = 1;       ///< P
  double dimensions = 0;  ///< d
  double trees = 0;       ///< edge-disjoint spanning trees: 2 per wrapping axis, 1 per other axis
  double hops = 0;        ///< to the farthest node of a tree: d·P^(1/d), the sum of all extents
};

/// The partition of a torus or mesh, whose extents may differ.
Partition partition(const Shape& shape);

/// A ring, torus or cube of `extent` nodes along each of `dimensions` axes that wrap.
Partition cube(double extent, double dimensions);

/// The rates at which a node sums contributions (Solomonik et al. 2011, §4.3).
struct NodeRates {
  double flops_per_second = 0;         ///< γ; 0: sums take no time
  double memory_bytes_per_second = 0;  ///< β; 0: memory takes no time
};

/// Seconds by Solomonik et al. 2011, §4 for messages of m bytes under LogP, where g is the
/// reciprocal of a link's bandwidth (LogGP::byte_gap). Multicasts and reductions on a single node
/// take no time.

/// t_s = (m/2d)·g + 2(d + 1)·o + 3L: the root sends a slice down each tree (eq 4).
double rectangular_start_seconds(const LogGP& network, const Partition& partition, double bytes);

/// t_p = d·P^(1/d)·(2o + L): the last packet travels to the farthest node (eq 5).
double rectangular_path_seconds(const LogGP& network, const Partition& partition);

/// t_rect = t_s + t_p (eq 6).
double rectangular_multicast_seconds(const LogGP& network, const Partition& partition,
                                     double bytes);

/// t_red = max(m/8γ, 3m/β, (m/2d)·g) + 2(d + 1)·o + 3L + t_p for elements of 8 bytes (eqs 7, 8).
double rectangular_reduction_seconds(const LogGP& network, const Partition& partition,
                                     const NodeRates& rates, double bytes);

/// t_bnm = log2(P)·((m/2d)·g + 2o + L), without contention (eq 9).
double binomial_multicast_seconds(const LogGP& network, const Partition& partition, double bytes);

}  // namespace cuboid::detail
