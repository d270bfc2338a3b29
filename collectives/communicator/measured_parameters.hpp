#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/discovery.hpp>

#include "models/messages/parameters.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cuboid::detail {

class Transport;

/// What parameters measured by the ranks of a world belong to: the ranks' hosts, the cables between
/// them if the network was discovered, and the transports that the carrier may use. Not collective.
ParametersKey parameters_key(const Transport& world, const Discovery* discovery);
/// The same for a communicator of all ranks.
ParametersKey parameters_key(const Communicator& world);

/// The file in the user's cache that holds the parameters of these hosts; nullopt if the user has
/// no cache. Cables are not part of its name, so a file measured with other cables is found and can
/// be reported.
std::optional<std::string> cached_parameters_path(const ParametersKey& key,
                                                  const Environment& environment);

/// The newest file in the user's cache whose parameters were measured by ranks of this host,
/// perhaps among others; nullopt if there is none. Files that cannot be read are left out with a
/// warning. Not collective.
std::optional<std::string> newest_cached_parameters(std::string_view host,
                                                    const Environment& environment);

/// The parameters that CUBOID_PARAMETERS names, or else those in the cache; nullptr if there are
/// none. Rank 0 reads them and tells the other ranks. Parameters of another machine are ignored
/// with a warning, and so is a file of the cache that cannot be read. Throws Error(io) or
/// Error(parse), alike on all ranks, if the file that CUBOID_PARAMETERS names cannot be read.
/// Collective over the bootstrap.
std::shared_ptr<const Parameters> load_parameters(Bootstrap& bootstrap, const Transport& world,
                                                  const Discovery* discovery);

/// The same group, but its algorithms are chosen by these parameters. Not collective, but the ranks
/// must use it alike, as with Communicator::with_algorithms().
Communicator with_parameters(const Communicator& communicator, const Parameters& parameters);

}  // namespace cuboid::detail
