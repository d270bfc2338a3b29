#pragma once

#include "topology/machine/hosts.hpp"
#include "topology/machine/report.hpp"
#include "topology/sources/answer.hpp"

#include <span>

namespace cuboid::detail {

/// Makes the network of cables between the hosts from the links in the kernels of all hosts. Pure.
///
/// A link is one end of a cable if exactly one other host of the job is directly behind it: by a
/// host route, by an IPv6 link-local next hop, or because the two ends alone share a subnet of two
/// addresses (/30, /31, /126, /127). If hardware addresses or such subnets identify the other
/// host's link, the two links are joined. Other links are joined pairwise if both hosts name each
/// other. Parallel cables are found one by one. A cable that only one end knows counts if the other
/// host has a link that is up and behind which it knows no host.
///
/// Declines if there is only one host, or if the cables do not join all hosts (e.g. in a switched
/// network).
Answer pool_kernel_reports(std::span<const LocalReport> reports, const Hosts& hosts);

}  // namespace cuboid::detail
