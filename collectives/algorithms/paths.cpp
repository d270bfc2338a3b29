#include "collectives/algorithms/families.hpp"
#include "collectives/evaluation/segments.hpp"
#include "collectives/evaluation/shape_of_ranks.hpp"
#include "collectives/forests/forests.hpp"
#include "collectives/forests/tree_neighbours.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

namespace {

ForestOrRounds build_ring(const Call& call, const Conditions& conditions, const Settings&) {
  if (call.operation() == Operation::allreduce)
    return ring_allreduce(conditions, call.element_bytes());
  return forest_from_tree(conditions, call.flow(), chain);
}

RankPart part_of_ring(const Call& call, const Conditions& conditions, const Settings&, int rank) {
  if (call.operation() == Operation::allreduce)
    return ring_allreduce_part(conditions, call.element_bytes(), rank);
  return part_together(conditions, call.flow(), 1, [rank](int ranks, int root) {
    return std::vector{chain_neighbours(ranks, root, rank)};
  });
}

// The loads of a ring: a block to the next rank in every step, once round, in an all-reduce twice.
std::vector<RoundLoad> loads_of_ring(const Call& call, const Settings&) {
  const double steps = call.ranks() - 1;
  const double block = static_cast<double>(call.bytes()) / call.ranks();
  const bool returns = call.operation() == Operation::allreduce;
  RoundLoad load{
      .times = steps * (returns ? 2 : 1), .messages = 1, .longest = block, .received = block};
  const CommonLinks ring(call, ring_of(call.ranks()));
  const int distance = 1;
  std::vector<double> crossings(ring.bytes_per_second().size(), 0.0);
  load.links = ring.cross(std::span(&distance, 1), crossings);
  load.on_link = ring.busiest(crossings) * block;
  if (load.links == 0) load.copied = block;
  if (call.flow() != Flow::multicast) load.copied += returns ? block / 2 : block;
  return {load};
}

ForestOrRounds build_both_ways(const Call& call, const Conditions& conditions, const Settings&) {
  return plant_together(conditions, call.flow(), call.element_bytes(), both_chains);
}

RankPart part_both_ways(const Call& call, const Conditions& conditions, const Settings&, int rank) {
  return part_together(conditions, call.flow(), call.element_bytes(), [rank](int ranks, int root) {
    return std::vector{chain_neighbours(ranks, root, rank),
                       downward_chain_neighbours(ranks, root, rank)};
  });
}

// The load of a direct all-to-all: a rank sends a block straight to each other rank, all at once.
RoundLoad exchange_of_all(const Call& call) {
  const int ranks = call.ranks();
  const double block = static_cast<double>(call.bytes()) / ranks;
  const double peers = ranks - 1;
  RoundLoad load{.messages = peers, .longest = block, .received = peers * block};
  const CommonLinks all(call, shape_of_ranks(call).value_or(ring_of(ranks)));
  std::vector<double> crossings(all.bytes_per_second().size(), 0.0);
  load.links = all.cross_to_all(crossings);
  load.on_link = all.busiest(crossings) * block;
  if (load.links == 0) load.copied = load.received;
  return load;
}

// The load of a direct scatter or gather. Routes keep to one axis after the other. Blocks for all
// nodes off the root's plane share the root's two links along one axis: the first axis of a route
// for a scatter, the last one for a gather.
RoundLoad exchange_of_root(const Call& call) {
  const GroupNodes& nodes = call.cost_model.nodes;
  const auto block = static_cast<double>(call.bytes());
  const double peers = call.ranks() - 1;
  RoundLoad load{.messages = peers, .longest = block, .received = peers * block};
  if (call.on_one_node()) {
    load.links = 0;
    load.copied = load.received;
    return load;
  }
  load.on_link = load.received;
  if (!nodes.shape) return load;
  const auto is_long = [](const Axis& axis) { return axis.extent > 1; };
  const auto& axes = nodes.shape->axes();
  const Axis& axis = call.operation() == Operation::scatter
                         ? *std::find_if(axes.begin(), axes.end(), is_long)
                         : *std::find_if(axes.rbegin(), axes.rend(), is_long);
  const double plane = static_cast<double>(nodes.nodes()) / axis.extent;
  const double ways = axis.wraps && axis.extent > 2 ? 2 : 1;
  const double of_a_node = block * call.ranks() / nodes.nodes();
  load.on_link = of_a_node * std::max((nodes.nodes() - plane) / ways, plane - 1);
  load.links = 0;
  for (const Axis& each : axes) load.links += each.wraps ? each.extent / 2 : each.extent - 1;
  return load;
}

// A rank may know only the lengths of its own blocks, so lengths must not decide.
std::vector<Settings> settings_of_direct(const Call& call) {
  Settings settings;
  if (call.on_one_node()) settings.pipelining.segment_bytes = greatest_segment;
  return {settings};
}

std::vector<RoundLoad> loads_of_direct(const Call& call, const Settings&) {
  return {call.operation() == Operation::alltoall ? exchange_of_all(call) : exchange_of_root(call)};
}

}  // namespace

std::vector<Algorithm> path_algorithms() {
  return {
      {"ring",
       "one chain per block around the ring of ranks",
       {Operation::allreduce, Operation::allgather, Operation::reduce_scatter},
       false,
       of_trees,
       build_ring,
       part_of_ring,
       nullptr,
       nullptr,
       nullptr,
       loads_of_ring},
      {"bidirectional_ring",
       "chains in both directions around the ring of ranks, half a block each",
       {Operation::broadcast, Operation::reduce, Operation::allgather, Operation::reduce_scatter},
       false,
       of_trees,
       build_both_ways,
       part_both_ways},
      {"direct",
       "every block in one message from its source to its destination",
       {Operation::gather, Operation::scatter, Operation::alltoall},
       true,
       settings_of_direct,
       [](const Call&, const Conditions& conditions, const Settings&) -> ForestOrRounds {
         return direct_paths(conditions);
       },
       [](const Call&, const Conditions& conditions, const Settings&, int rank) -> RankPart {
         return direct_paths_part(conditions, rank);
       },
       nullptr,
       nullptr,
       nullptr,
       loads_of_direct},
  };
}

}  // namespace cuboid::detail
