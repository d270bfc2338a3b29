#include "collectives/forests/trees.hpp"

#include "collectives/algorithms/families.hpp"
#include "collectives/forests/forests.hpp"
#include "collectives/forests/relatives.hpp"
#include "collectives/forests/tree_steps.hpp"
#include "collectives/prices/estimate_rounds.hpp"
#include "collectives/prices/estimate_trees.hpp"
#include "collectives/prices/further_links.hpp"
#include "collectives/prices/path_seconds.hpp"
#include "collectives/rounds/tree_rounds.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace cuboid::detail {

namespace {

using Trees = std::vector<std::vector<Edge>>;

const std::vector<Operation> rooted = {Operation::broadcast, Operation::reduce,
                                       Operation::allreduce};
const std::vector<Operation> rooted_or_blocks = {Operation::broadcast, Operation::reduce,
                                                 Operation::allreduce, Operation::allgather,
                                                 Operation::reduce_scatter};

// In none of these trees do the steps depend on the root.
template <StepsShape steps, RelativesShape relatives>
std::optional<CostEstimate> price(const Call& call) {
  const TreeSteps taken = steps(call.ranks(), call.flow());
  const RelativesOf tree = [&](int rank) {
    return relatives(call.ranks(), call.collective.root, rank);
  };
  return estimate_trees(call, taken, std::span(&tree, 1));
}

// Of a flat tree and of a chain all ranks would be followed, and their steps are all there is.
template <StepsShape steps, RelativesShape relatives>
std::optional<CostEstimate> price_by_steps(const Call& call) {
  const TreeSteps taken = steps(call.ranks(), call.flow());
  const double further = further_links_seconds(
      call, taken, [&](int rank) { return relatives(call.ranks(), call.collective.root, rank); });
  return estimate_trees(call, taken, 1, further);
}

template <TreeShape shape>
ForestOrRounds build(const Call& call, const Conditions& conditions, const Settings&) {
  return forest_from_tree(conditions, call.flow(), shape);
}

template <RelativesShape shape>
RankPart part(const Call& call, const Conditions& conditions, const Settings&, int rank) {
  return part_together(conditions, call.flow(), 1, [rank](int ranks, int root) {
    return std::vector{shape(ranks, root, rank)};
  });
}

// A tree that keeps rank order depends on its root: priced at the worst one, an end.
std::optional<CostEstimate> price_in_order(const Call& call) {
  if (call.operation() != Operation::reduce_scatter)
    return price<in_order_steps, in_order_relatives>(call);
  const std::size_t block = call.bytes() / static_cast<std::size_t>(call.ranks());
  // Within a node the trees of all blocks grow at once; half of the ranks take in at every step.
  const double rounds = std::bit_width(static_cast<unsigned>(call.ranks() - 1));
  const double received = rounds * static_cast<double>(call.bytes()) / 2;
  return estimate_rounds(
      call, call.ranks() * binomial_seconds(call.cost_model.slowest(), call.ranks(), block),
      {rounds, received, received});
}

// Trees of all ranks' blocks, all at once: every rank sends and receives as many blocks as there
// are other ranks, over so many hops.
CostEstimate price_blocks(const Call& call, double hops) {
  const double peers = call.ranks() - 1;
  const double received = peers / call.ranks() * static_cast<double>(call.bytes());
  const std::size_t block = call.bytes() / static_cast<std::size_t>(call.ranks());
  const Hockney& network = call.cost_model.slowest();
  const double further_hops =
      (hops - 1) * (network.alpha + network.beta * static_cast<double>(block));
  return estimate_rounds(call, exchange_seconds(call, block) + further_hops,
                         {.rounds = hops,
                          .bytes = received,
                          .combined = call.flow() == Flow::combine ? received : 0,
                          .messages = peers / hops});
}

std::optional<CostEstimate> price_flat(const Call& call) {
  return block_per_rank(call) ? price_blocks(call, 1)
                              : price_by_steps<flat_steps, flat_relatives>(call);
}

std::optional<CostEstimate> price_binomial(const Call& call) {
  if (!block_per_rank(call)) return price<binomial_steps, binomial_relatives>(call);
  return price_blocks(call,
                      std::max<double>(std::bit_width(static_cast<unsigned>(call.ranks() - 1)), 1));
}

constexpr std::array knomial_radices = {3, 4, 6, 8};

std::vector<Settings> settings_of_knomial(const Call&) {
  std::vector<Settings> all;
  for (const int radix : knomial_radices) all.emplace_back().radix = radix;
  return all;
}

// Counted steps tell radices apart; what the best of them takes depends on the links, too.
std::optional<CostEstimate> price_knomial(const Call& call) {
  const auto steps = [&](int radix) { return knomial_steps(call.ranks(), radix, call.flow()); };
  const auto counted = [&](int radix) { return estimate_trees(call, steps(radix), 1).seconds; };
  const int radix = std::ranges::min(knomial_radices, {}, counted);
  const RelativesOf tree = [&](int rank) {
    return knomial_relatives(call.ranks(), call.collective.root, rank, radix);
  };
  CostEstimate estimate = estimate_trees(call, steps(radix), std::span(&tree, 1));
  estimate.settings.radix = radix;
  return estimate;
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
    return std::vector{knomial_relatives(ranks, root, rank, settings.radix)};
  });
}

std::optional<CostEstimate> price_double_binary(const Call& call) {
  const TreeSteps steps = double_binary_steps(call.ranks(), call.flow());
  std::vector<RelativesOf> trees;
  for (const std::size_t tree : {0U, 1U}) {
    trees.push_back([&call, tree](int rank) {
      return double_binary_relatives(call.ranks(), call.collective.root, rank)[tree];
    });
  }
  return estimate_trees(call, steps, trees);
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
    const auto trees = double_binary_relatives(ranks, root, rank);
    return std::vector(trees.begin(), trees.end());
  });
}

}  // namespace

std::vector<Algorithm> tree_algorithms() {
  return {
      // Before the others: if ranks share cores all cost the same, but with this one nobody waits
      // twice.
      {"flat", "one message from the root to each rank", rooted_or_blocks, false, of_trees,
       price_flat, build<flat_tree>, part<flat_relatives>},
      {"binomial", "binomial tree", rooted_or_blocks, false, of_trees, price_binomial,
       build<binomial_tree>, part<binomial_relatives>},
      {"binary", "binary tree", rooted, false, of_trees, price<binary_steps, binary_relatives>,
       build<binary_tree>, part<binary_relatives>},
      {"knomial", "k-nomial tree; the model chooses k", rooted, false, settings_of_knomial,
       price_knomial, build_knomial, part_of_knomial},
      {"double_binary", "two binary trees, each rank a leaf of one and an inner node of the other",
       rooted, false, of_trees, price_double_binary, build_double_binary, part_of_double_binary},
      {"chain", "a line of ranks, pipelined", rooted, false, of_trees,
       price_by_steps<chain_steps, chain_relatives>, build<chain>, part<chain_relatives>},
      {"in_order_tree",
       "binomial tree that combines in rank order",
       {Operation::reduce, Operation::allreduce, Operation::reduce_scatter},
       true,
       of_trees,
       price_in_order,
       build<in_order_tree>,
       part<in_order_relatives>},
  };
}

}  // namespace cuboid::detail
