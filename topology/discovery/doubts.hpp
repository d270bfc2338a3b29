#pragma once

#include <cuboid/discovery.hpp>

#include <string>
#include <vector>

namespace cuboid::detail {

/// The parts of a discovered network that cannot be used as they are, and what is done instead:
/// parts of the source that were passed over, rates that are known of some cables only, and hosts
/// of the job that no cables connect. One sentence each; empty if there are no doubts. Pure.
std::vector<std::string> doubts_about(const Discovery& discovery);

}  // namespace cuboid::detail
