#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include "collectives/carrier/carrier.hpp"
#include "collectives/carrier/peer_information.hpp"

#include <memory>
#include <vector>

namespace cuboid::detail {

/// Makes the carrier that CUBOID_TRANSPORT chooses: UCX if it was built in and reaches all peers,
/// otherwise MPI. Collective over the bootstrap: it succeeds on all ranks or on none. Throws
/// Error(unsupported), which names the carriers that there are. A setting in `environment` that the
/// carrier cannot serve is changed, with a warning.
std::unique_ptr<Carrier> make_carrier(Bootstrap& bootstrap, const PeerInformation& ranks,
                                      Environment& environment, const Logger& logger);

}  // namespace cuboid::detail
