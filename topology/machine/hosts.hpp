#pragma once

#include <cuboid/node.hpp>

#include "topology/machine/report.hpp"

#include <span>

namespace cuboid::detail {

/// Groups ranks by host. If several hosts have the same name, all but the first get "#2", "#3", ...
/// appended.
Hosts group_by_host(std::span<const LocalReport> reports);

}  // namespace cuboid::detail
