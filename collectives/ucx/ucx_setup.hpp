#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include "collectives/carrier/peer_information.hpp"
#include "collectives/ucx/ucx_handles.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace cuboid::detail {

/// UCX as all ranks have set it up, or the reason why none uses it.
struct UcxStart {
  Ucx ucx;
  std::vector<std::vector<std::byte>> addresses;  ///< the addresses of all workers, by rank
  int event_descriptor = -1;
  /// The reason of the lowest rank that could not set UCX up; empty if all could.
  std::string refusal;
};

/// Sets UCX up as Cuboid needs it; what the user says in UCX's own variables comes first. UCX
/// listens to the network only if ranks are on several nodes, and then only on interfaces that lead
/// to their hosts. Collective over the bootstrap. Throws the bootstrap's errors, because they say
/// nothing about UCX.
UcxStart start_ucx(Bootstrap& bootstrap, const PeerInformation& ranks,
                   const Environment& environment);

}  // namespace cuboid::detail
