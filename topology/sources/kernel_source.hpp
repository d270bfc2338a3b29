#pragma once

#include "topology/machine/hosts.hpp"
#include "topology/machine/report.hpp"
#include "topology/sources/answer.hpp"

#include <span>

namespace cuboid::detail {

/// Pools what every host's kernel knows of its links into the network of cables between the hosts.
/// Pure.
///
/// A link is one end of a cable when exactly one other host of the job is directly behind it: by a
/// host route, by an IPv6 link-local next hop, or because the two ends alone share a subnet of two
/// (/30, /31, /126, /127). Where hardware addresses or such subnets tell which link of the other
/// host is the far end, the two are joined; others are joined pairwise as both hosts name each
/// other. Parallel cables come out one by one. A cable that only one end knows of is believed where
/// the other host has a link up behind which it knows nobody.
///
/// Declines if there is one host only, or cables do not join all hosts (a switched network,
/// say).
Answer pool_kernel_reports(std::span<const LocalReport> reports, const Hosts& hosts);

}  // namespace cuboid::detail
