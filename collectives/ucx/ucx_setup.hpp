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
Ucx make_ucx(Bootstrap& bootstrap, const Introductions& ranks, const Environment& environment);

}  // namespace cuboid::detail
