#pragma once

#include <cuboid/discovery_options.hpp>
#include <cuboid/environment.hpp>

#include "topology/machine/report.hpp"

namespace cuboid::detail {

/// Makes the report of all that this rank knows before the exchange. Does not throw if something
/// cannot be read: the report says so instead, and every rank can take part in the exchange.
LocalReport make_local_report(int rank, const Environment& environment,
                              const DiscoveryOptions& options);

}  // namespace cuboid::detail
