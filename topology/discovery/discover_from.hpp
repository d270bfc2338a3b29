#pragma once

#include <cuboid/discovery.hpp>
#include <cuboid/environment.hpp>

#include "base/text_file.hpp"
#include "topology/machine/report.hpp"

#include <span>

namespace cuboid::detail {

/// The part of discover() after the exchange: a pure function of all ranks' reports.
Discovery discover_from(std::span<const LocalReport> reports);

/// Checks that CUBOID_TOPOLOGY and CUBOID_COORDINATE can be read, also if they are not needed, as
/// on a single node, which has no network. Reads no file. Throws Error(parse), or
/// Error(invalid_argument) for a shape that is too large.
void check_variables(const Environment& environment);

/// The network that a topology file describes, without ranks. Throws Error(parse) with file and
/// line.
Discovery describe_file(const TextFile& file);

}  // namespace cuboid::detail
