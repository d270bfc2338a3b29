#pragma once

#include "topology/machine/report.hpp"

namespace cuboid::detail {

/// Asks the kernel (rtnetlink) for this network namespace's links that are up, their addresses,
/// rates, and which addresses are directly behind each. Needs no privileges and sends nothing over
/// the network.
///
/// A neighbour is a host route (/32, /128) of the main table that leads out of a link without a
/// gateway, or over an IPv6 link-local gateway. Every next hop of a multipath route counts, and so
/// does every route to the same host whatever its metric, so that parallel cables are seen one by
/// one. The rate is the link's token bucket (tbf) where it has one, else its speed.
///
/// Does not throw if the kernel refuses: KernelReport::problem gives the reason.
KernelReport read_kernel_links();

}  // namespace cuboid::detail
