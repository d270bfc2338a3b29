#include "collectives/forests/tree_steps.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace cuboid::detail {

namespace {

int log2_up(int ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

// The sends of the root and of any other rank for each segment, the time until all have the first
// one, and the depth of the tree.
struct Counted {
  double first = 0;
  double depth = 0;
  double root_sends = 0;
  double inner_sends = 0;  // of any other rank, at most
};

// Inwards, then outwards: that takes twice as long, and every rank but the root sends once more.
TreeSteps in_flow(const Counted& counted, int ranks, Flow flow) {
  const bool both = flow == Flow::combine_then_multicast;
  const double parent = both && ranks > 1 ? 1 : 0;
  const double widest = std::max({1.0, counted.root_sends, counted.inner_sends + parent});
  const double ways = both ? 2 : 1;
  return {.first = ways * counted.first,
          .gap = widest,
          .depth = ways * counted.depth,
          .widest = widest};
}

// The k-nomial tree of n ranks: the root sends to those at each distance, farthest first.
Counted knomial(std::int64_t ranks, std::int64_t radix) {
  Counted whole;
  std::int64_t distance = 1;
  while (distance * radix < ranks) distance *= radix;
  // From the innermost subtree, of one rank, outwards: `whole` is that of `distance` ranks.
  Counted subtree;
  for (std::int64_t level = 1; level < distance; level *= radix) {
    const auto children = static_cast<double>(radix - 1);
    subtree = {.first = children + subtree.first,
               .depth = subtree.depth + 1,
               .root_sends = children + subtree.root_sends,
               .inner_sends = subtree.root_sends};
  }
  if (ranks == 1) return whole;
  const std::int64_t children = (ranks - 1) / distance;
  const std::int64_t full = (ranks - children * distance == distance) ? children : children - 1;
  // Those after the last child are reached when the root has sent to it.
  whole.first = static_cast<double>(children) + subtree.first;
  whole.depth = std::max(subtree.depth, full > 0 ? subtree.depth + 1 : 0);
  whole.root_sends = static_cast<double>(children) + subtree.root_sends;
  whole.inner_sends = full > 0 ? subtree.root_sends : subtree.inner_sends;
  if (full < children) {
    const Counted rest = knomial(ranks - children * distance, radix);
    whole.first = std::max(whole.first, static_cast<double>(children) + rest.first);
    whole.depth = std::max(whole.depth, rest.depth + 1);
    whole.inner_sends = std::max({whole.inner_sends, rest.root_sends, rest.inner_sends});
  }
  return whole;
}

// A binary tree that is numbered in order: when its last node has a segment that its root has at 0,
// and how deep that is.
Counted in_order_binary(int nodes) {
  Counted tree;
  if (nodes <= 1) return tree;
  const int root = static_cast<int>(std::bit_floor(static_cast<unsigned>(nodes)));
  const int levels = log2_up(root);  // below it on the left, where all are full
  tree.first = 2.0 * levels - 1;
  tree.depth = levels;
  tree.inner_sends = root > 2 || nodes > 2 ? 2 : 1;
  if (nodes > root) {
    const Counted right = in_order_binary(nodes - root);
    tree.first = std::max(tree.first, 2 + right.first);
    tree.depth = std::max(tree.depth, 1 + right.depth);
  }
  return tree;
}

// In-order binomial: nearest child, with the smallest subtree, first. By number of ranks.
Counted consecutive_binomial(int ranks) {
  Counted tree;
  int child = 0;
  for (int distance = 1; distance < ranks; distance *= 2) {
    ++child;
    // A full subtree has as many ranks as the tree so far, and its shape.
    const Counted below =
        ranks - distance >= distance ? tree : consecutive_binomial(ranks - distance);
    tree.first = std::max(tree.first, child + below.first);
    tree.depth = std::max(tree.depth, 1 + below.depth);
    tree.inner_sends = std::max({tree.inner_sends, below.root_sends, below.inner_sends});
    tree.root_sends = child;
  }
  return tree;
}

}  // namespace

TreeSteps flat_steps(int ranks, Flow flow) {
  const double peers = ranks - 1;
  return in_flow({.first = peers, .depth = std::min(peers, 1.0), .root_sends = peers}, ranks, flow);
}

TreeSteps chain_steps(int ranks, Flow flow) {
  const double peers = ranks - 1;
  return in_flow({.first = peers,
                  .depth = peers,
                  .root_sends = std::min(peers, 1.0),
                  .inner_sends = ranks > 2 ? 1.0 : 0.0},
                 ranks, flow);
}

TreeSteps binomial_steps(int ranks, Flow flow) {
  return knomial_steps(ranks, 2, flow);
}

TreeSteps knomial_steps(int ranks, int radix, Flow flow) {
  return in_flow(knomial(ranks, radix), ranks, flow);
}

TreeSteps binary_steps(int ranks, Flow flow) {
  // Number v from the root is reached ⌊log2 (v + 1)⌋ steps after it, and one more for each step to
  // the right: each bit of v + 1 that is set, but the highest.
  const auto steps_to = [](unsigned place) {
    return static_cast<int>(std::bit_width(place)) + std::popcount(place);
  };
  const auto last = static_cast<unsigned>(ranks);
  int most = steps_to(last);
  for (unsigned bit = 1; bit <= last / 2; bit *= 2) {
    if ((last & bit) != 0) most = std::max(most, steps_to((last ^ bit) | (bit - 1)));
  }
  most = std::max(most, steps_to(std::bit_floor(last) - 1));
  const double parents = ranks > 3 ? 2 : 0;
  return in_flow({.first = static_cast<double>(most - 2),
                  .depth = static_cast<double>(std::bit_width(last) - 1),
                  .root_sends = static_cast<double>(std::min(ranks - 1, 2)),
                  .inner_sends = ranks == 4 ? 1 : parents},
                 ranks, flow);
}

TreeSteps in_order_steps(int ranks, Flow flow) {
  return in_flow(consecutive_binomial(ranks), ranks, flow);
}

TreeSteps double_binary_steps(int ranks, Flow flow) {
  if (ranks == 1) return in_flow({}, ranks, flow);
  // The root sends to the first tree, then to the second; whoever has children in one has none in
  // the other, but a parent.
  Counted tree = in_order_binary(ranks - 1);
  tree.first += 2;
  tree.depth += 1;
  tree.root_sends = 2;
  if (flow == Flow::combine_then_multicast) tree.inner_sends += 1;
  return in_flow(tree, ranks, flow);
}

TreeSteps grouped_steps(int groups, const TreeSteps& leaders, const TreeSteps& members, Flow flow) {
  // A leader of leaders sends to both; towards its own leader it sends once.
  const double once = flow == Flow::combine_then_multicast ? 1 : 0;
  const double widest = std::max(1.0, leaders.widest + members.widest - (groups > 2 ? once : 0));
  return {.first = leaders.first + members.first,
          .gap = widest,
          .depth = leaders.depth + members.depth,
          .widest = widest};
}

TreeSteps halving_steps(const Shape& shape, Flow flow) {
  double steps = 0;
  for (const Axis& axis : shape.axes()) steps += log2_up(axis.extent);
  const int nodes = static_cast<int>(shape.nodes());
  return in_flow({.first = steps, .depth = steps, .root_sends = steps, .inner_sends = steps - 1},
                 nodes, flow);
}

}  // namespace cuboid::detail
