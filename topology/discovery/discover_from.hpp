#pragma once

#include <cuboid/discovery.hpp>

#include "base/text_file.hpp"
#include "topology/machine/report.hpp"

#include <span>

namespace cuboid::detail {

/// The part of discover() that follows the exchange: a pure function of all ranks' reports.
Discovery discover_from(std::span<const LocalReport> reports);

/// What a topology file describes, without any ranks in it. Throws Error(parse) with file and line.
Discovery describe_file(const TextFile& file);

}  // namespace cuboid::detail
