#include "collectives/algorithms/families.hpp"
#include "collectives/forests/halving.hpp"
#include "collectives/forests/over_nodes.hpp"
#include "collectives/forests/rectangular.hpp"
#include "collectives/types/tag.hpp"
#include "topology/shape/distances.hpp"

#include <cstdint>
#include <utility>

namespace cuboid::detail {

namespace {

// The most trees of a message. A rank has a part in every tree. Beyond this limit there is one root
// per colour in place of one root at every node; these trees use every link as well.
constexpr int most_trees_of_message = 2048;
// Trees are told apart by channels, so there are no more trees than channels.
constexpr int most_trees_of_blocks = Tag::agreement_channel;
bool has_shape(const Call& call) {
  const auto& shape = call.cost_model.nodes.shape;
  return shape && shape->nodes() > 1;
}

bool too_many_trees(const Call& call, int colours) {
  return block_per_rank(call) && colours * std::int64_t{call.ranks()} > most_trees_of_blocks;
}

// The numbers of roots to try for an all-reduce's trees.
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

// The numbers of colours to try: all numbers; in large groups one, half and all.
std::vector<int> numbers_of_colours(const Call& call, int most) {
  std::vector<int> numbers;
  for (int colours = 1; colours <= most; ++colours) {
    if (call.ranks() <= most_ranks_simulated || colours == 1 || colours == most / 2 ||
        colours == most)
      numbers.push_back(colours);
  }
  return numbers;
}

// The sets of colours to try. On large tori the shortest trees would serve short messages only,
// since they use half of the links; scatters serve short messages better there. And one node's part
// in them takes the trees of a whole slice of the torus.
std::vector<Colours> sets_of_colours(const Call& call) {
  constexpr NodeIndex few_nodes = 4096;
  const Shape& shape = *call.cost_model.nodes.shape;
  const bool many =
      shape.nodes() > few_nodes || (block_per_rank(call) && call.ranks() > most_ranks_simulated);
  if (many && !has_line(shape)) return {Colours::every_link};
  return {Colours::shortest, Colours::every_link};
}

std::vector<Settings> settings_of_rectangular(const Call& call) {
  if (!has_shape(call)) return {};
  std::vector<Settings> all;
  for (const Colours set : sets_of_colours(call)) {
    const int most = rectangular_colours(*call.cost_model.nodes.shape, set);
    for (const int colours : numbers_of_colours(call, most)) {
      if (too_many_trees(call, colours)) break;
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
        for (auto& neighbours :
             rectangular_neighbours(*group.shape, root, node, settings.colour_set))
          parts.push_back({std::move(neighbours)});
        parts.resize(static_cast<std::size_t>(settings.colours));
        return parts;
      });
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
        return std::vector<NodePart>{{halving_neighbours(*group.shape, root, node)}};
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
       build_rectangular,
       part_of_rectangular},
      {"grid_tree",
       "binary tree by recursive halving of the network's shape (COSMA)",
       {Operation::broadcast, Operation::reduce, Operation::allreduce},
       false,
       [](const Call& call) { return has_shape(call) ? of_trees(call) : std::vector<Settings>{}; },
       build_grid_tree,
       part_of_grid_tree},
  };
}

}  // namespace cuboid::detail
