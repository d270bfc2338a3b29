#pragma once

#include <cuboid/discovery.hpp>

#include "base/text_file.hpp"
#include "topology/machine/report.hpp"

#include <span>

namespace cuboid::detail {

/// The second part of discover(), after the exchange: a pure function of all ranks' reports.
Discovery discover_from(std::span<const LocalReport> reports);

/// The network that a topology file describes, without ranks. Throws Error(parse) with file and
/// line.
Discovery describe_file(const TextFile& file);

}  // namespace cuboid::detail
