#include "collectives/forests/trees.hpp"

#include "collectives/algorithms/families.hpp"
#include "collectives/forests/forests.hpp"
#include "collectives/forests/tree_neighbours.hpp"

#include <array>

namespace cuboid::detail {

namespace {

using Trees = std::vector<std::vector<Edge>>;

const std::vector<Operation> rooted = {Operation::broadcast, Operation::reduce,
                                       Operation::allreduce};
const std::vector<Operation> rooted_or_blocks = {Operation::broadcast, Operation::reduce,
                                                 Operation::allreduce, Operation::allgather,
                                                 Operation::reduce_scatter};

template <TreeShape shape>
ForestOrRounds build(const Call& call, const Conditions& conditions, const Settings&) {
  return forest_from_tree(conditions, call.flow(), shape);
}

template <TreeNeighboursShape shape>
RankPart part(const Call& call, const Conditions& conditions, const Settings&, int rank) {
  return part_together(conditions, call.flow(), 1, [rank](int ranks, int root) {
    return std::vector{shape(ranks, root, rank)};
  });
}

constexpr std::array knomial_radices = {3, 4, 6, 8};

std::vector<Settings> settings_of_knomial(const Call&) {
  std::vector<Settings> all;
  for (const int radix : knomial_radices) all.emplace_back().radix = radix;
  return all;
}

ForestOrRounds build_knomial(const Call& call, const Conditions& conditions,
                             const Settings& settings) {
  return forest_from_tree(conditions, call.flow(), [&](int ranks, int root) {
    return knomial_tree(ranks, root, settings.radix);
  });
}

RankPart part_of_knomial(const Call& call, const Conditions& conditions, const Settings& settings,
                         int rank) {
  return part_together(conditions, call.flow(), 1, [&](int ranks, int root) {
    return std::vector{knomial_neighbours(ranks, root, rank, settings.radix)};
  });
}

ForestOrRounds build_double_binary(const Call& call, const Conditions& conditions,
                                   const Settings&) {
  return plant_together(conditions, call.flow(), call.element_bytes(), [](int ranks, int root) {
    const auto trees = double_binary_trees(ranks, root);
    return Trees(trees.begin(), trees.end());
  });
}

RankPart part_of_double_binary(const Call& call, const Conditions& conditions, const Settings&,
                               int rank) {
  return part_together(conditions, call.flow(), call.element_bytes(), [rank](int ranks, int root) {
    const auto trees = double_binary_neighbours(ranks, root, rank);
    return std::vector(trees.begin(), trees.end());
  });
}

}  // namespace

std::vector<Algorithm> tree_algorithms() {
  return {
      // The first entry: if ranks share cores all trees cost the same, but with this one no rank
      // waits twice.
      {"flat", "one message from the root to each rank", rooted_or_blocks, false, of_trees,
       build<flat_tree>, part<flat_neighbours>},
      {"binomial", "binomial tree", rooted_or_blocks, false, of_trees, build<binomial_tree>,
       part<binomial_neighbours>},
      {"binary", "binary tree", rooted, false, of_trees, build<binary_tree>,
       part<binary_neighbours>},
      {"knomial", "k-nomial tree; the model chooses k", rooted, false, settings_of_knomial,
       build_knomial, part_of_knomial},
      {"double_binary", "two binary trees, each rank a leaf of one and an inner node of the other",
       rooted, false, of_trees, build_double_binary, part_of_double_binary},
      {"chain", "a line of ranks, pipelined", rooted, false, of_trees, build<chain>,
       part<chain_neighbours>},
      {"in_order_tree",
       "binomial tree that combines in rank order",
       {Operation::reduce, Operation::allreduce, Operation::reduce_scatter},
       true,
       of_trees,
       build<in_order_tree>,
       part<in_order_neighbours>},
  };
}

}  // namespace cuboid::detail
