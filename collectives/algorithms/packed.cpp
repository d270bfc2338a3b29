#include "collectives/forests/packed.hpp"

#include "collectives/algorithms/families.hpp"
#include "collectives/forests/over_nodes.hpp"
#include "collectives/forests/rectangular.hpp"
#include "collectives/prices/estimate_trees.hpp"
#include "collectives/prices/segments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cuboid::detail {

namespace {

// Trees out of every node at once take as many flows as the cube of the number of nodes: beyond
// this limit, computing them takes longer than they save.
constexpr int most_roots = 32;

// Where trees share cables.
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

int depth_of(const PackedTree& tree, int nodes) {
  std::vector<int> depth(static_cast<std::size_t>(nodes), 0);
  int greatest = 0;
  for (const auto& [parent, child] : tree.edges) {
    int& here = depth[static_cast<std::size_t>(child)];
    here = depth[static_cast<std::size_t>(parent)] + 1;
    greatest = std::max(greatest, here);
  }
  return greatest;
}

// Whether the trees use their cables in both directions at once.
bool both_ways(const Call& call, bool all) {
  const Network& network = *call.cost_model.nodes.network;
  const bool only_hosts = network.nodes() == call.cost_model.nodes.nodes();
  return call.flow() == Flow::combine_then_multicast && !all && only_hosts;
}

std::vector<PackedTree> trees_for(const Call& call, bool all) {
  const Network& network = *call.cost_model.nodes.network;
  return call.cost_model.kept_trees->get(network, roots_of(call, all), both_ways(call, all));
}

// The trees' depth, number and rate.
struct Packed {
  int trees = 0;  // out of one root
  int depth = 0;
  double links = 0;  // the number of the slowest links that the message uses at once
};

Packed measure(const Network& network, const std::vector<PackedTree>& trees, int roots, int nodes) {
  double slowest = 0;
  for (const Link& link : network.links()) {
    if (slowest == 0 || link.bytes_per_second < slowest) slowest = link.bytes_per_second;
  }
  if (slowest == 0) slowest = 1;
  Packed packed{.trees = static_cast<int>(trees.size()) / roots};
  for (const PackedTree& tree : trees) {
    packed.depth = std::max(packed.depth, depth_of(tree, nodes));
    packed.links += tree.bytes_per_second / slowest;
  }
  return packed;
}

// Trees that carry the message together, priced as price_colours() prices those of shapes. An
// all-reduce passes every link in both directions, as the trees use both directions of most cables.
CostEstimate price_trees(const Call& call, const Packed& packed, int roots) {
  const Hockney& network = call.cost_model.network;
  const bool both_flows = call.flow() == Flow::combine_then_multicast;
  const double carried =
      static_cast<double>(call.bytes()) * (both_flows ? 2 : 1) / std::max(packed.links, 1e-9);
  // Inward and outward messages of many trees take turns on a cable: each waits at every step for
  // those that are on their way there.
  const double waits = both_flows ? 2.0 * (1 + sends_at_a_time) : 1.0;
  const TreeSteps steps{.first = packed.depth * waits, .gap = 1};
  CostEstimate estimate;
  estimate.settings.colours = packed.trees;
  estimate.settings.roots = roots;
  estimate.settings.pipelining.sends_at_a_time = sends_at_a_time;
  estimate.settings.pipelining.segment_bytes =
      sensible_segment(call, best_segment(network, steps, carried));
  const double slice = static_cast<double>(call.bytes()) / (packed.trees * std::max(roots, 1));
  estimate.settings.pipelining.segments_per_bundle =
      sensible_bundle(estimate.settings.pipelining.segment_bytes, slice);
  const auto segment = std::max(
      1.0, std::min(slice, static_cast<double>(estimate.settings.pipelining.segment_bytes)));
  const double segments = std::max(1.0, carried / segment);
  const double gap =
      std::max(network.beta * segment, packed.trees * call.cost_model.network_overhead);
  estimate.seconds = steps.first * (network.alpha + network.beta * segment) + (segments - 1) * gap +
                     (packed.trees - 1) * network.alpha;

  const double trees = packed.trees * (block_per_rank(call) ? call.ranks() : roots);
  const double edges = (both_flows ? 2 : 1) * trees * (call.cost_model.nodes.nodes() - 1);
  estimate.seconds = std::max(estimate.seconds, core_seconds_of_edges(call, edges, slice, segment));
  return estimate;
}

std::vector<Settings> settings_of_packed(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  if (!group.network || group.nodes() < 2) return {};
  const bool many_roots = block_per_rank(call) || call.flow() == Flow::combine_then_multicast;
  // Shorter parts cost more messages than they save.
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

std::optional<CostEstimate> price_packed(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  if (!group.network || group.nodes() < 2) return std::nullopt;
  const bool many_roots = block_per_rank(call) || call.flow() == Flow::combine_then_multicast;
  if (group.shape && group.axis_bytes_per_second.empty()) {
    // A shape has as many trees, and they are known. Packed trees are worth making only for a
    // simulation; without one they count as twice as deep, so that they are not chosen.
    if (block_per_rank(call) && group.nodes() > most_roots) return std::nullopt;
    const int colours = rectangular_colours(*group.shape, Colours::every_link);
    const int depth = rectangular_depth(*group.shape, Colours::every_link);
    const Packed supposed{colours, 2 * depth, static_cast<double>(colours)};
    return price_trees(call, supposed, block_per_rank(call) ? group.nodes() : 1);
  }
  std::optional<CostEstimate> best;
  for (const bool all : {false, true}) {
    if (all ? !many_roots || group.nodes() > most_roots : block_per_rank(call)) continue;
    const int roots = all ? group.nodes() : 1;
    Packed packed = measure(*group.network, trees_for(call, all), roots, group.nodes());
    // Inward and outward flows do not share links.
    if (both_ways(call, all)) packed.links *= 2;
    const CostEstimate estimate = price_trees(call, packed, roots);
    if (!best || estimate.seconds < best->seconds) best = estimate;
  }
  return best;
}

ForestOrRounds build_packed(const Call& call, const Conditions& conditions,
                            const Settings& settings) {
  const GroupNodes& group = call.cost_model.nodes;
  std::vector<std::vector<NodeTree>> trees_from(static_cast<std::size_t>(group.nodes()));
  const bool all = settings.roots > 1;
  for (auto& tree : trees_for(call, all)) {
    // Those both ways choose their roots.
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
       price_packed,
       build_packed,
       part_of_packed},
  };
}

}  // namespace cuboid::detail
