#pragma once

#include <cuboid/discovery.hpp>

#include <string>
#include <vector>

namespace cuboid::detail {

/// What of a discovered network cannot be used as it is, and what is done instead: what its source
/// passed over, rates that are known of some cables only, and hosts of the job between which no
/// cables lead. One sentence each; none where all is well. Pure.
std::vector<std::string> doubts_about(const Discovery& discovery);

}  // namespace cuboid::detail
