#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include "collectives/carrier/peer_information.hpp"
#include "collectives/ucx/ucx_handles.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace cuboid::detail {

/// UCX as all ranks have it, or why none uses it.
struct UcxStart {
  Ucx ucx;
  std::vector<std::vector<std::byte>> addresses;  ///< of the workers, by rank
  int event_descriptor = -1;
  std::string refusal;  ///< what the lowest rank said that could not; empty where all could
};

/// UCX set up as Cuboid needs it; what the user says in UCX's own variables comes first. Listens to
/// the network only where ranks are on several nodes, and then only on interfaces that lead to
/// their hosts. Collective over the bootstrap, whose errors it throws: they say nothing about UCX.
UcxStart start_ucx(Bootstrap& bootstrap, const PeerInformation& ranks,
                   const Environment& environment);

}  // namespace cuboid::detail
