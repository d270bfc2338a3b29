#pragma once

#include "topology/machine/report.hpp"

namespace cuboid::detail {

/// Asks the kernel (rtnetlink) for the links of this network namespace that are up, their addresses
/// and rates, and the addresses that are directly behind each link. Needs no privileges and sends
/// nothing over the network.
///
/// A neighbour is found by a host route (/32, /128) of the main table that leads out of a link
/// without a gateway, or over an IPv6 link-local gateway. Every next hop of a multipath route
/// counts, and so does every route to the same host, whatever its metric: parallel cables are seen
/// one by one. The rate is that of the link's token bucket (tbf) if it has one, else the link's
/// speed.
///
/// Does not throw if the kernel refuses: KernelReport::problem gives the reason.
KernelReport read_kernel_links();

}  // namespace cuboid::detail
