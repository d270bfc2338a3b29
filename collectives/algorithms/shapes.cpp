#include "collectives/algorithms/families.hpp"
#include "collectives/forests/halving.hpp"
#include "collectives/forests/over_nodes.hpp"
#include "collectives/forests/rectangular.hpp"
#include "collectives/forests/tree_steps.hpp"
#include "collectives/prices/estimate_trees.hpp"
#include "collectives/prices/segments.hpp"
#include "collectives/types/tag.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace cuboid::detail {

namespace {

// A rank has a part in every tree: beyond this, one root for each colour, whose trees use every
// link as well, takes the place of one at every node.
constexpr int most_trees_of_message = 2048;
// Trees are told apart by their channels.
constexpr int most_trees_of_blocks = Tag::agreement_channel;
// So many segments fill a pipeline through the largest networks, and a rank has a few steps for
// each.
constexpr std::size_t most_segments = 2048;

// Trees that share no links can do with shorter segments than others where every rank has a core of
// its own to handle them.
std::size_t least_on_shapes(const Call& call) {
  return call.cost_model.ranks_per_core > 1 ? least_segment : least_segment / 4;
}
// Segments are halved, which doubles the messages, only if that saves more than this.
constexpr double worth_more_messages = 0.98;

bool has_shape(const Call& call) {
  const auto& shape = call.cost_model.nodes.shape;
  return shape && shape->nodes() > 1;
}

// Forwarding segments within the nodes: the time that the first segment adds, and the interval
// between segments of the rank that owns most colours.
struct WithinNode {
  double first = 0;
  double gap = 0;
};

WithinNode within_node(const Call& call, int colours, double segment) {
  const double ranks = call.most_on_a_node();
  if (ranks <= 1) return {};
  const Hockney& node = call.cost_model.node;
  const double copies = ranks - 1;
  const double owned = std::ceil(colours / ranks);
  const double step = node.alpha + node.beta * segment;
  const double flows = call.flow() == Flow::combine_then_multicast ? 2 : 1;
  return {flows * (copies + 1) * step, owned * flows * copies * step};
}

// The sends for which a segment waits on its way: at every turn into another axis, a node sends
// along the axes so far first, both ways where they wrap, and once more where both ways are equally
// deep; the root sends other colours first, and the last node takes one in.
double waits(const Shape& shape, Colours set, int colours) {
  double sides = 0;
  double axes = 0;
  double equally_deep = 0;
  for (const Axis& axis : shape.axes()) {
    if (axis.extent == 1) continue;
    ++axes;
    const bool both_ways = axis.wraps && set == Colours::shortest;
    sides += both_ways ? 2 : 1;
    if (both_ways && axis.extent % 2 == 1) equally_deep = 1;
  }
  const double other_colours = colours > 1 ? colours : 0;
  return (axes - 1) * (sides / 2 + equally_deep) + other_colours;
}

// An all-reduce's trees have roots at all nodes: links are used more evenly. Of short messages they
// have fewer, and one on three axes or more, where trees of some of the nodes get in each other's
// way: 2 MiB on 4x6x8 were simulated to take a quarter longer with 42.
int roots_of(const Call& call, int colours, double slice) {
  const Shape& shape = *call.cost_model.nodes.shape;
  const auto nodes = static_cast<int>(shape.nodes());
  const double most = colours * nodes <= most_trees_of_message ? nodes : 1;
  const auto roots =
      static_cast<int>(std::clamp(slice / static_cast<double>(least_on_shapes(call)), 1.0, most));
  return count_long_axes(shape) > 2 && roots < nodes ? 1 : roots;
}

// The slices of an all-reduce that cross the busiest link, its trees having roots at all nodes. On
// a ring a link lies in the trees of all roots but one, both ways. A link of a line leads away from
// the roots on one side and towards those on the other: one slice, and some of other colours. But
// on meshes links idle while what they are to carry is still combined, as if they were rings,
// unless trees have many segments: half as much where these are 3 for each step of the deepest tree
// on two axes, 9 on three, by simulation of 14 meshes.
double slices_over_a_link(const Shape& shape, int depth, double segments_of_a_tree) {
  const auto nodes = static_cast<double>(shape.nodes());
  const double on_rings = 2 * (nodes - 1) / nodes;
  int axes = 0;
  int shortest = std::numeric_limits<int>::max();
  for (const Axis& axis : shape.axes()) {
    if (axis.extent == 1) continue;
    if (axis.wraps) return on_rings;
    ++axes;
    shortest = std::min(shortest, axis.extent);
  }
  const double on_lines = 1 + 2 * (nodes / shortest - 1) / nodes;
  const double few_segments = 1.5 * axes * (axes - 1) * depth;
  const double idling = few_segments * few_segments /
                        (few_segments * few_segments + segments_of_a_tree * segments_of_a_tree);
  return on_lines + (on_rings - on_lines) * idling;
}

// Edge-disjoint trees: the first segment takes D·(α + β·m/(c·s)) and some waiting, every further
// one as long as it keeps a link, or a node that handles, and combines, one of each colour
// (Solomonik et al. 2011, eq 6). What crosses a link: a broadcast's slice once; of an
// all-reduce, with a part combined at every node, two slices less what each part's root has.
CostEstimate price_segments(const Call& call, Colours set, int colours, std::size_t segment_bytes) {
  const GroupNodes& group = call.cost_model.nodes;
  const Hockney& network = call.cost_model.network;
  const int depth = rectangular_depth(*group.shape, set);
  const bool both_flows = call.flow() == Flow::combine_then_multicast;
  const double slice = static_cast<double>(call.bytes()) / colours;
  CostEstimate estimate;
  estimate.settings.colours = colours;
  estimate.settings.colour_set = set;
  if (both_flows) estimate.settings.roots = roots_of(call, colours, slice);
  const TreeSteps steps{.first = depth * (both_flows ? 2.0 : 1.0), .gap = 1};
  estimate.settings.pipelining.segment_bytes = segment_bytes;

  double tree_slice = slice;
  if (both_flows) tree_slice /= estimate.settings.roots;
  if (block_per_rank(call)) tree_slice /= call.ranks();
  const double segment = std::max(
      std::min(tree_slice, static_cast<double>(estimate.settings.pipelining.segment_bytes)), 1.0);
  double slices = both_flows ? 2 : 1;
  if (both_flows && estimate.settings.roots == group.nodes())
    slices = slices_over_a_link(*group.shape, depth, tree_slice / segment);
  if (block_per_rank(call)) slices *= (group.nodes() - 1.0) / group.nodes();
  const double segments = std::max(1.0, std::ceil(slices * slice / segment));
  const double step = network.alpha + network.beta * std::min(segment, slice);
  estimate.settings.pipelining.segments_per_bundle =
      sensible_bundle(estimate.settings.pipelining.segment_bytes, tree_slice);
  const auto [inside_first, inside_gap] = within_node(call, colours, segment);
  const double bytes = std::min(segment, slice);
  // Of an all-reduce, every other segment is combined.
  const double combining = call.flow() == Flow::multicast ? 0 : both_flows ? 0.5 : 1;
  const double handling =
      call.cost_model.network_overhead + combining * call.cost_model.node.beta * bytes;
  const double gap = std::max({network.beta * bytes, colours * handling, inside_gap,
                               call.cost_model.injection_seconds(colours * bytes)});
  const double waiting =
      waits(*group.shape, set, colours) * call.cost_model.between_nodes().send_overhead;
  // While the segments of some roots are still on their way, those of others arrive.
  const double roots = estimate.settings.roots;
  const double until_first = 1 - (roots > 1 ? 0.65 * std::sqrt(roots / group.nodes()) : 0);
  estimate.seconds =
      until_first * steps.first * step + inside_first + (segments - 1) * gap + waiting;

  // Every segment of every tree reaches every node, and with short blocks these are many.
  const double trees = static_cast<double>(colours) * estimate.settings.roots *
                       (block_per_rank(call) ? call.ranks() : 1);
  const double edges = (both_flows ? 2 : 1) * trees * static_cast<double>(group.nodes() - 1);
  estimate.seconds =
      std::max(estimate.seconds, core_seconds_of_edges(call, edges, tree_slice, segment));
  return estimate;
}

CostEstimate price_colours(const Call& call, Colours set, int colours) {
  std::optional<CostEstimate> best;
  const std::size_t slice = call.bytes() / static_cast<std::size_t>(colours);
  const std::size_t least = std::max(least_on_shapes(call), slice / most_segments);
  for (std::size_t bytes = greatest_segment; bytes >= least; bytes /= 2) {
    const std::size_t segment = sensible_segment(call, bytes, least);
    const CostEstimate estimate = price_segments(call, set, colours, segment);
    if (!best || estimate.seconds < worth_more_messages * best->seconds) best = estimate;
  }
  return *best;
}

bool too_many_trees(const Call& call, int colours) {
  return block_per_rank(call) && colours * std::int64_t{call.ranks()} > most_trees_of_blocks;
}

// How many roots an all-reduce's trees may have.
std::vector<int> numbers_of_roots(const Call& call, int colours) {
  if (call.flow() != Flow::combine_then_multicast) return {1};
  const int nodes = call.cost_model.nodes.nodes();
  std::vector<int> roots{1};
  for (const int more : {colours, nodes}) {
    if (more > roots.back() && more <= nodes && colours * more <= most_trees_of_message)
      roots.push_back(more);
  }
  return roots;
}

std::vector<Settings> settings_of_rectangular(const Call& call) {
  if (!has_shape(call)) return {};
  std::vector<Settings> all;
  for (const Colours set : {Colours::shortest, Colours::every_link}) {
    const int most = rectangular_colours(*call.cost_model.nodes.shape, set);
    for (int colours = 1; colours <= most && !too_many_trees(call, colours); ++colours) {
      for (const int roots : numbers_of_roots(call, colours)) {
        Settings& settings = all.emplace_back();
        settings.colour_set = set;
        settings.colours = colours;
        settings.roots = roots;
      }
    }
  }
  return all;
}

std::optional<CostEstimate> price_rectangular(const Call& call) {
  if (!has_shape(call)) return std::nullopt;
  std::optional<CostEstimate> best;
  for (const Colours set : {Colours::shortest, Colours::every_link}) {
    const int all = rectangular_colours(*call.cost_model.nodes.shape, set);
    for (int colours = 1; colours <= all; ++colours) {
      if (too_many_trees(call, colours)) break;
      const CostEstimate estimate = price_colours(call, set, colours);
      if (!best || estimate.seconds < best->seconds) best = estimate;
    }
  }
  return best;
}

ForestOrRounds build_rectangular(const Call& call, const Conditions& conditions,
                                 const Settings& settings) {
  const GroupNodes& group = call.cost_model.nodes;
  return forest_over_nodes(
      conditions, call.flow(), group, call.element_bytes(), settings.roots, [&](int node) {
        std::vector<NodeTree> trees;
        for (auto& edges : rectangular_trees(*group.shape, node, settings.colour_set))
          trees.push_back({std::move(edges)});
        trees.resize(static_cast<std::size_t>(settings.colours));
        return trees;
      });
}

RankPart part_of_rectangular(const Call& call, const Conditions& conditions,
                             const Settings& settings, int rank) {
  const GroupNodes& group = call.cost_model.nodes;
  const int node = group.node_of(rank);
  return part_over_nodes(
      conditions, call.flow(), group, call.element_bytes(), settings.roots, rank, [&](int root) {
        std::vector<NodePart> parts;
        for (auto& relatives : rectangular_relatives(*group.shape, root, node, settings.colour_set))
          parts.push_back({std::move(relatives)});
        parts.resize(static_cast<std::size_t>(settings.colours));
        return parts;
      });
}

std::optional<CostEstimate> price_grid_tree(const Call& call) {
  if (!has_shape(call)) return std::nullopt;
  const GroupNodes& group = call.cost_model.nodes;
  const RelativesOf tree = [&](int rank) {
    // The first rank of a node stands for it.
    const auto first_rank = [&](int node) {
      return group.ranks_of_node[static_cast<std::size_t>(node)].front();
    };
    Relatives relatives =
        halving_relatives(*group.shape, group.node_of(call.collective.root), group.node_of(rank));
    for (int& child : relatives.children) child = first_rank(child);
    return relatives;
  };
  CostEstimate estimate =
      estimate_trees(call, halving_steps(*group.shape, call.flow()), std::span(&tree, 1));
  const auto segment = std::min(static_cast<double>(call.bytes()),
                                static_cast<double>(estimate.settings.pipelining.segment_bytes));
  estimate.seconds += within_node(call, 1, segment).first;
  estimate.settings.pipelining.segments_per_bundle = sensible_bundle(
      estimate.settings.pipelining.segment_bytes, static_cast<double>(call.bytes()));
  return estimate;
}

ForestOrRounds build_grid_tree(const Call& call, const Conditions& conditions, const Settings&) {
  const GroupNodes& group = call.cost_model.nodes;
  return forest_over_nodes(conditions, call.flow(), group, call.element_bytes(), 1, [&](int node) {
    return std::vector<NodeTree>{{halving_tree(*group.shape, node)}};
  });
}

RankPart part_of_grid_tree(const Call& call, const Conditions& conditions, const Settings&,
                           int rank) {
  const GroupNodes& group = call.cost_model.nodes;
  const int node = group.node_of(rank);
  return part_over_nodes(
      conditions, call.flow(), group, call.element_bytes(), 1, rank, [&](int root) {
        return std::vector<NodePart>{{halving_relatives(*group.shape, root, node)}};
      });
}

}  // namespace

std::vector<Algorithm> shape_algorithms() {
  return {
      {"rectangular",
       "edge-disjoint spanning trees of the network's shape",
       {Operation::broadcast, Operation::reduce, Operation::allreduce, Operation::allgather,
        Operation::reduce_scatter},
       false,
       settings_of_rectangular,
       price_rectangular,
       build_rectangular,
       part_of_rectangular},
      {"grid_tree",
       "binary tree by recursive halving of the network's shape (COSMA)",
       {Operation::broadcast, Operation::reduce, Operation::allreduce},
       false,
       [](const Call& call) { return has_shape(call) ? of_trees(call) : std::vector<Settings>{}; },
       price_grid_tree,
       build_grid_tree,
       part_of_grid_tree},
  };
}

}  // namespace cuboid::detail
