#include <cuboid/base/error.hpp>
#include <cuboid/collectives/allgather.hpp>
#include <cuboid/tools/bench_network.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace cuboid::tools {

namespace {

bool one_node(const Communicator& world) {
  for (int rank = 0; rank < world.size(); ++rank) {
    if (!world.same_node(rank)) return false;
  }
  return true;
}

/// Every rank's bytes, of whatever length, over the communicator.
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

std::vector<int> line_of_rank(const std::optional<Discovery>& network, int axis) {
  const auto refuse = [axis](const std::string& why) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--lines {}: {}", axis, why));
  };
  const auto shape = network ? network->shape() : std::nullopt;
  if (!shape) refuse("the network's shape is not known; state it, e.g. CUBOID_TOPOLOGY=torus:4x4");
  if (axis < 0 || axis >= shape->dimensions()) {
    refuse(fmt::format("{} has axes 0 to {}", shape->to_string(), shape->dimensions() - 1));
  }
  std::map<Coordinate, int> lines;
  std::vector<int> result;
  for (const int node : network->node_of_rank) {
    auto coordinate = network->coordinate(node);
    if (!coordinate) refuse("a rank's node has no place in the shape");
    (*coordinate)[static_cast<std::size_t>(axis)] = 0;
    const int next = static_cast<int>(lines.size());
    result.push_back(lines.try_emplace(*coordinate, next).first->second);
  }
  return result;
}

std::optional<double> bound_of(Operation operation, int root, const BenchGroup& group) {
  std::map<int, int> ranks_of_node;
  for (const int node : group.node_of_rank) ++ranks_of_node[node];
  if (ranks_of_node.size() < 2 || operation == Operation::barrier) return std::nullopt;

  const int root_node = group.node_of_rank[static_cast<std::size_t>(root)];
  const auto ranks = static_cast<double>(group.node_of_rank.size());
  double bound = 0;
  for (const auto& [node, here] : ranks_of_node) {
    double rate = 0;  // of the node's links, the same both ways: a cable is two links
    for (const int number : group.network.links_from(node)) {
      const Link& link = group.network.links()[static_cast<std::size_t>(number)];
      if (group.own_cables_only && !ranks_of_node.contains(link.to)) continue;
      if (link.bytes_per_second <= 0) return std::nullopt;
      rate += link.bytes_per_second;
    }
    // The part of the message that must go through the node's links, one way or the other.
    const double elsewhere = (ranks - here) / ranks;
    double part = 1;
    switch (operation) {
      case Operation::allgather:
      case Operation::reduce_scatter: part = elsewhere; break;
      case Operation::allreduce: part = 2 * elsewhere; break;
      case Operation::gather:
      case Operation::scatter: part = node == root_node ? elsewhere : here / ranks; break;
      case Operation::alltoall: part = here * elsewhere; break;
      default: break;
    }
    const double allowed = rate / part;
    if (bound == 0 || allowed < bound) bound = allowed;
  }
  return bound;
}

}  // namespace cuboid::tools
