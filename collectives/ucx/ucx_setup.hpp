#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include "collectives/carrier/introductions.hpp"
#include "collectives/ucx/ucx_handles.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {

/// UCX set up as Cuboid needs it; what the user says in UCX's own variables comes first. Listens to
/// the network only where ranks are on several nodes, and then only on interfaces that lead to
/// their hosts. Collective over the bootstrap: on all ranks or none. Throws on each rank what the
/// lowest one threw that could not.
Ucx make_ucx(Bootstrap& bootstrap, const std::vector<Introduction>& ranks,
             const Environment& environment);

/// "transport/device" of each that UCX may use, as its own report names them.
std::vector<std::string> transports_of(ucp_context_h context);

/// Whether one of them lets ranks reach each other's memory by itself (RDMA). On all others UCX
/// emulates that by messages.
bool has_remote_access(ucp_context_h context);

}  // namespace cuboid::detail
