#pragma once

#include <cuboid/node.hpp>

#include "topology/machine/report.hpp"

#include <span>

namespace cuboid::detail {

/// Groups ranks by host. Where two hosts have the same name, later ones get "#2", "#3", ...
/// appended.
Hosts group_by_host(std::span<const LocalReport> reports);

}  // namespace cuboid::detail
