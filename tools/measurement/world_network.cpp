#include "tools/measurement/world_network.hpp"

#include <cuboid/allgather.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail::tools {

namespace {

bool one_node(const Communicator& world) {
  for (int rank = 0; rank < world.size(); ++rank) {
    if (!world.same_node(rank)) return false;
  }
  return true;
}

/// All ranks' bytes; their lengths may differ.
std::vector<std::vector<std::byte>> gather_all(const Communicator& world,
                                               std::span<const std::byte> mine) {
  const auto ranks = static_cast<std::size_t>(world.size());
  const std::size_t length = mine.size();
  std::vector<std::size_t> lengths(ranks);
  allgather(world, std::span(&length, 1), lengths);
  std::size_t total = 0;
  for (const std::size_t one : lengths) total += one;
  std::vector<std::byte> all(total);
  allgatherv(world, mine, all, lengths);
  std::vector<std::vector<std::byte>> parts;
  auto next = all.begin();
  for (const std::size_t one : lengths) {
    const auto end = next + static_cast<std::ptrdiff_t>(one);
    parts.emplace_back(next, end);
    next = end;
  }
  return parts;
}

}  // namespace

std::optional<Discovery> network_of(const Communicator& world) {
  const Environment& environment = world.environment();
  if (one_node(world) && !environment.topology) return std::nullopt;
  const AllGather all_gather = [&](std::span<const std::byte> mine) {
    return gather_all(world, mine);
  };
  return discover(world.rank(), world.size(), all_gather, environment);
}

}  // namespace cuboid::detail::tools
