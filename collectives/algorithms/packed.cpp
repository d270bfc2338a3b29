#include "collectives/forests/packed.hpp"

#include "collectives/algorithms/families.hpp"
#include "collectives/forests/over_nodes.hpp"

#include <numeric>

namespace cuboid::detail {

namespace {

// To pack trees out of every node takes as many flows as the cube of the number of nodes. Beyond
// this limit that takes longer than the trees save.
constexpr int most_roots = 32;

// The time in which switches are split off grows with the cube of the nodes: 128 take some 25 ms,
// 1024 take 20 s.
constexpr int most_nodes_behind_switches = 128;

// True if the network has switches beside the group's nodes.
bool has_switches(const GroupNodes& group) {
  return group.network->nodes() > group.nodes();
}

// The most sends of a rank to another at a time, where trees share cables.
constexpr int sends_at_a_time = 2;

std::vector<int> roots_of(const Call& call, bool all) {
  const GroupNodes& group = call.cost_model.nodes;
  if (all) {
    std::vector<int> roots(static_cast<std::size_t>(group.nodes()));
    std::iota(roots.begin(), roots.end(), 0);
    return roots;
  }
  const bool rooted = call.flow() != Flow::combine_then_multicast;
  return {rooted ? group.node_of_rank()[static_cast<std::size_t>(call.collective.root)] : 0};
}

// True if the trees use their cables in both directions at once.
bool both_ways(const Call& call, bool all) {
  return call.flow() == Flow::combine_then_multicast && !all &&
         !has_switches(call.cost_model.nodes);
}

std::vector<PackedTree> trees_for(const Call& call, bool all) {
  const Network& network = *call.cost_model.nodes.network;
  return call.cost_model.tree_cache->get(network, roots_of(call, all), both_ways(call, all));
}

std::vector<Settings> settings_of_packed(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  if (!group.network || group.nodes() < 2) return {};
  // A shape has as many trees, which need no packing. Packed trees pay only where all messages are
  // simulated.
  if (group.shape && group.axis_bytes_per_second.empty() && group.ranks() > most_ranks_simulated)
    return {};
  if (has_switches(group) && group.nodes() > most_nodes_behind_switches) return {};
  const bool many_roots = block_per_rank(call) || call.flow() == Flow::combine_then_multicast;
  // Shorter parts cost more by their number of messages than they save.
  constexpr std::size_t least_part = 1 << 10;
  const bool worth_many_roots =
      many_roots && group.nodes() <= most_roots &&
      call.bytes() >= least_part * static_cast<std::size_t>(group.nodes());
  std::vector<Settings> tried;
  for (const bool all : {false, true}) {
    if (all ? !worth_many_roots : block_per_rank(call)) continue;
    Settings& settings = tried.emplace_back();
    settings.roots = all ? group.nodes() : 1;
    settings.colours = static_cast<int>(trees_for(call, all).size()) / settings.roots;
    settings.pipelining.sends_at_a_time = sends_at_a_time;
  }
  return tried;
}

ForestOrRounds build_packed(const Call& call, const Conditions& conditions,
                            const Settings& settings) {
  const GroupNodes& group = call.cost_model.nodes;
  std::vector<std::vector<NodeTree>> trees_from(static_cast<std::size_t>(group.nodes()));
  const bool all = settings.roots > 1;
  for (auto& tree : trees_for(call, all)) {
    // trees_both_ways() chooses the roots itself.
    const int from = both_ways(call, all) ? 0 : tree.root;
    trees_from[static_cast<std::size_t>(from)].push_back(
        {std::move(tree.edges), tree.bytes_per_second});
  }
  return forest_over_nodes(conditions, call.flow(), group, call.element_bytes(), settings.roots,
                           [&](int node) { return trees_from[static_cast<std::size_t>(node)]; });
}

// One node's part depends on the whole network.
RankPart part_of_packed(const Call& call, const Conditions& conditions, const Settings& settings,
                        int rank) {
  return part_of(std::get<Forest>(build_packed(call, conditions, settings)), rank);
}

}  // namespace

std::vector<Algorithm> packed_algorithms() {
  return {
      {"packed",
       "the maximum number of edge-disjoint spanning trees of any network",
       {Operation::broadcast, Operation::reduce, Operation::allreduce, Operation::allgather,
        Operation::reduce_scatter},
       false,
       settings_of_packed,
       build_packed,
       part_of_packed},
  };
}

}  // namespace cuboid::detail
