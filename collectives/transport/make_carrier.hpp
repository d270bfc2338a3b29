#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include "collectives/carrier/carrier.hpp"
#include "collectives/carrier/peer_information.hpp"

#include <memory>
#include <vector>

namespace cuboid::detail {

/// The carrier that CUBOID_TRANSPORT chooses: UCX where it was built in and reaches all peers, else
/// MPI. Collective over the bootstrap: on all ranks or none. Throws Error(unsupported), which names
/// what there is. What the carrier cannot serve is taken out of `environment`, with a warning.
std::unique_ptr<Carrier> make_carrier(Bootstrap& bootstrap, const PeerInformation& ranks,
                                      Environment& environment, const Logger& logger);

}  // namespace cuboid::detail
