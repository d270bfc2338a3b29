#pragma once

#include <cuboid/discovery_options.hpp>
#include <cuboid/environment.hpp>

#include "topology/machine/report.hpp"

namespace cuboid::detail {

/// All that this rank knows before ranks talk. Does not throw for what cannot be read: the report
/// says it, so that every rank takes part in the exchange.
LocalReport make_local_report(int rank, const Environment& environment,
                              const DiscoveryOptions& options);

}  // namespace cuboid::detail
