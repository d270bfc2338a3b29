#include "tools/measurement/world_network.hpp"

#include "collectives/operations/vectors.hpp"

#include <cstddef>
#include <span>

namespace cuboid::detail::tools {

namespace {

bool one_node(const Communicator& world) {
  for (int rank = 0; rank < world.size(); ++rank) {
    if (!world.same_node(rank)) return false;
  }
  return true;
}

}  // namespace

std::optional<Discovery> network_of(const Communicator& world) {
  const Environment& environment = world.environment();
  if (one_node(world) && !environment.topology) return std::nullopt;
  const AllGather all_gather = [&](std::span<const std::byte> mine) {
    return gather_bytes(world, mine);
  };
  return discover(world.rank(), world.size(), all_gather, environment);
}

}  // namespace cuboid::detail::tools
