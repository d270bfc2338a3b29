#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/discovery.hpp>

#include "models/messages/parameters.hpp"

#include <memory>
#include <optional>
#include <string>

namespace cuboid::detail {

class Transport;

/// What parameters measured by the ranks of a world are of: their hosts, the cables between
/// them where the network was discovered, and the transports that UCX may use. Not collective.
ParametersKey parameters_key(const Transport& world, const Discovery* discovery);
/// The same for a communicator of all ranks.
ParametersKey parameters_key(const Communicator& world);

/// The file in the user's cache that holds the parameters of these hosts; nullopt if the user
/// has no cache. Cables do not enter its name: where they have changed since, that can be told.
std::optional<std::string> cached_parameters_path(const ParametersKey& key,
                                                  const Environment& environment);

/// The parameters that CUBOID_PARAMETERS names, or those in the cache; nullptr if there are
/// none. Rank 0 reads them and tells the others. Those of another machine are left out, with a
/// warning; so is a file of the cache that cannot be read. Throws, on all ranks alike, Error(io) or
/// Error(parse) for a file that CUBOID_PARAMETERS names and that cannot be read. Collective over
/// the bootstrap.
std::shared_ptr<const Parameters> load_parameters(Bootstrap& bootstrap, const Transport& world,
                                                  const Discovery* discovery);

/// The same group, its algorithms chosen by these parameters instead of those its world was made
/// with. Not collective, but the ranks must use it alike, as of Communicator::with_algorithms().
Communicator with_parameters(const Communicator& communicator, const Parameters& parameters);

}  // namespace cuboid::detail
