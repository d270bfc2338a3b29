#include "collectives/forests/trees.hpp"

#include "collectives/forests/grouped.hpp"
#include "collectives/forests/halving.hpp"
#include "tests/collectives/schedules/schedules.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace trees_test {

constexpr int most_ranks = 70;

using Edges = std::vector<Edge>;

// Calls `check(edges, ranks, root)` for every size and root.
void for_every_tree(TreeShape shape, const std::function<void(const Edges&, int, int)>& check) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    for (int root = 0; root < ranks; ++root) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, root " << root);
      check(shape(ranks, root), ranks, root);
      if (testing::Test::HasFailure()) return;
    }
  }
}

std::vector<int> depths(const Edges& edges, int ranks, int root) {
  std::vector<int> depth(static_cast<std::size_t>(ranks), -1);
  depth[static_cast<std::size_t>(root)] = 0;
  for (const auto& [parent, child] : edges)
    depth[static_cast<std::size_t>(child)] = depth[static_cast<std::size_t>(parent)] + 1;
  return depth;
}

int depth_of(const Edges& edges, int ranks, int root) {
  const auto all = depths(edges, ranks, root);
  return *std::max_element(all.begin(), all.end());
}

int ceil_log2(int number) {
  return std::bit_width(static_cast<unsigned>(number - 1));
}

std::map<int, std::vector<int>> children_of(const Edges& edges) {
  std::map<int, std::vector<int>> children;
  for (const auto& [parent, child] : edges) children[parent].push_back(child);
  return children;
}

// The ranks of a subtree in the order in which their contributions stand in its combined result.
std::vector<int> combined_order(const std::map<int, std::vector<int>>& children, int rank) {
  std::vector<int> order = {rank};
  const auto found = children.find(rank);
  if (found == children.end()) return order;
  for (const int child : found->second) {
    const auto theirs = combined_order(children, child);
    order.insert(child < rank ? order.begin() : order.end(), theirs.begin(), theirs.end());
  }
  return order;
}

class EveryTreeShape : public testing::TestWithParam<NamedShape> {};

TEST_P(EveryTreeShape, SpansAllRanksFromTheRootOutwards) {
  for_every_tree(GetParam().shape, [](const Edges& edges, int ranks, int root) {
    std::vector<bool> reached(static_cast<std::size_t>(ranks), false);
    reached[static_cast<std::size_t>(root)] = true;
    for (const auto& [parent, child] : edges) {
      EXPECT_TRUE(reached.at(static_cast<std::size_t>(parent))) << parent << " - " << child;
      EXPECT_FALSE(reached.at(static_cast<std::size_t>(child))) << parent << " - " << child;
      reached.at(static_cast<std::size_t>(child)) = true;
    }
    EXPECT_EQ(edges.size(), static_cast<std::size_t>(ranks) - 1);
  });
}

INSTANTIATE_TEST_SUITE_P(Trees, EveryTreeShape, testing::ValuesIn(tree_shapes));

// Where a rank sends one message at a time.
int steps_until_all_have_it(const Edges& edges, int ranks) {
  std::vector<int> busy_until(static_cast<std::size_t>(ranks), 0);
  for (const auto& [parent, child] : edges) {
    const int sent = ++busy_until[static_cast<std::size_t>(parent)];
    busy_until[static_cast<std::size_t>(child)] = sent;
  }
  return std::ranges::max(busy_until);
}

TEST(Trees, FlatTreeHasDepthOneAndTakesRanksInTurn) {
  for_every_tree(flat_tree, [](const Edges& edges, int ranks, int root) {
    EXPECT_EQ(depth_of(edges, ranks, root), ranks > 1 ? 1 : 0);
    for (std::size_t i = 0; i < edges.size(); ++i)
      EXPECT_EQ(edges[i].child, (root + 1 + static_cast<int>(i)) % ranks);
  });
}

// In step t of ⌈log2 p⌉ the ranks reached double: a rank's children are reached one step each.
TEST(Trees, BinomialTreeReachesEveryoneInLog2Steps) {
  for_every_tree(binomial_tree, [](const Edges& edges, int ranks, int root) {
    std::vector<int> reached_in(static_cast<std::size_t>(ranks), 0);
    std::vector<int> busy_until(static_cast<std::size_t>(ranks), 0);
    for (const auto& [parent, child] : edges) {
      const auto p = static_cast<std::size_t>(parent);
      const auto c = static_cast<std::size_t>(child);
      busy_until[p] = std::max(busy_until[p], reached_in[p]) + 1;
      busy_until[c] = reached_in[c] = busy_until[p];
    }
    EXPECT_EQ(*std::max_element(reached_in.begin(), reached_in.end()), ceil_log2(ranks));
    EXPECT_LE(depth_of(edges, ranks, root), ceil_log2(ranks));
  });
}

TEST(Trees, ChainIsALine) {
  for_every_tree(chain, [](const Edges& edges, int ranks, int root) {
    EXPECT_EQ(depth_of(edges, ranks, root), ranks - 1);
    for (const auto& [parent, child] : edges) EXPECT_EQ(child, (parent + 1) % ranks);
  });
}

TEST(Trees, InOrderTreeCombinesInRankOrder) {
  for_every_tree(in_order_tree, [](const Edges& edges, int ranks, int root) {
    const auto order = combined_order(children_of(edges), root);
    EXPECT_EQ(order.size(), static_cast<std::size_t>(ranks));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  });
}

TEST(Trees, InOrderTreeHasBinomialDepth) {
  for_every_tree(in_order_tree, [](const Edges& edges, int ranks, int root) {
    const int longer_side = std::max(root + 1, ranks - root);
    EXPECT_LE(depth_of(edges, ranks, root), ceil_log2(longer_side));
  });
}

TEST(Trees, BinomialTreeOfEight) {
  const Edges expected = {{0, 4}, {0, 2}, {4, 6}, {0, 1}, {2, 3}, {4, 5}, {6, 7}};
  EXPECT_EQ(binomial_tree(8, 0), expected);
}

TEST(Trees, BinaryTreeHasTwoChildrenAndLogarithmicDepth) {
  for_every_tree(binary_tree, [](const Edges& edges, int ranks, int root) {
    for (const auto& [parent, children] : children_of(edges)) EXPECT_LE(children.size(), 2U);
    EXPECT_LT(depth_of(edges, ranks, root), std::bit_width(static_cast<unsigned>(ranks)));
  });
}

int ceil_log(int number, int base) {
  int log = 0;
  for (std::int64_t power = 1; power < number; power *= base) ++log;
  return log;
}

TEST(Trees, KnomialTreesSpanInFewLevels) {
  for (const int radix : {2, 3, 4, 7, 100}) {
    for (int ranks = 1; ranks <= most_ranks; ++ranks) {
      for (const int root : {0, ranks / 2, ranks - 1}) {
        const Edges edges = knomial_tree(ranks, root, radix);
        const auto depth = depths(edges, ranks, root);
        EXPECT_EQ(edges.size(), static_cast<std::size_t>(ranks) - 1);
        EXPECT_EQ(std::ranges::count(depth, -1), 0);
        EXPECT_LE(depth_of(edges, ranks, root), ceil_log(ranks, radix));
        for (const auto& [parent, children] : children_of(edges))
          EXPECT_LE(static_cast<int>(children.size()), (radix - 1) * ceil_log(ranks, radix));
        if (radix == 2) {
          EXPECT_EQ(edges, binomial_tree(ranks, root));
        }
      }
    }
  }
}

TEST(Trees, DoubleBinaryTreesShareTheWork) {
  for (int ranks = 2; ranks <= most_ranks; ++ranks) {
    for (int root = 0; root < ranks; ++root) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, root " << root);
      const auto trees = double_binary_trees(ranks, root);
      std::vector<std::size_t> sends(static_cast<std::size_t>(ranks), 0);
      for (const Edges& edges : trees) {
        const auto depth = depths(edges, ranks, root);
        EXPECT_EQ(edges.size(), static_cast<std::size_t>(ranks) - 1);
        EXPECT_EQ(std::ranges::count(depth, -1), 0);
        EXPECT_LE(depth_of(edges, ranks, root), std::bit_width(static_cast<unsigned>(ranks - 1)));
        for (const auto& [parent, children] : children_of(edges)) {
          EXPECT_LE(children.size(), parent == root ? 1U : 2U);
          sends[static_cast<std::size_t>(parent)] += children.size();
        }
      }
      // Two halves come in, so two may go out.
      EXPECT_LE(*std::ranges::max_element(sends), 2U);
    }
  }
}

TEST(Trees, HalvingTreeReachesEveryNodeOverShortWays) {
  for (const Shape& shape :
       {Shape({{1, false}}), Shape({{7, true}}), Shape({{7, false}}), Shape({{4, true}, {4, true}}),
        Shape({{3, true}, {5, false}, {2, true}}), Shape({{2, false}, {2, false}, {2, false}})}) {
    int steps = 0;
    for (const Axis& axis : shape.axes()) steps += ceil_log2(axis.extent);
    for (int root = 0; root < shape.nodes(); ++root) {
      SCOPED_TRACE(testing::Message() << shape.to_string() << ", root " << root);
      const Edges edges = halving_tree(shape, root);
      const int nodes = static_cast<int>(shape.nodes());
      EXPECT_EQ(edges.size(), static_cast<std::size_t>(nodes) - 1);
      EXPECT_EQ(std::ranges::count(depths(edges, nodes, root), -1), 0);
      EXPECT_LE(steps_until_all_have_it(edges, nodes), steps);
      for (const auto& [parent, child] : edges)
        EXPECT_LE(shape.distance(parent, child),
                  (*std::ranges::max_element(shape.axes(), {}, &Axis::extent)).extent / 2 + 1);
    }
  }
}

TEST(Trees, HierarchiesSpanWhateverTheirLevels) {
  const std::vector<std::vector<TreeLevel>> hierarchies = {
      {{1, binomial_tree}},
      {{3, chain}, {1, flat_tree}},
      {{100, binary_tree}, {1, chain}},
      {{2, flat_tree}, {3, chain}, {1, binomial_tree}},
  };
  for (const auto& levels : hierarchies) {
    for (int ranks = 1; ranks <= most_ranks; ++ranks) {
      for (const int root : {0, ranks / 2, ranks - 1}) {
        const Edges edges = hierarchical_tree(ranks, root, levels);
        EXPECT_EQ(edges.size(), static_cast<std::size_t>(ranks) - 1);
        EXPECT_EQ(std::ranges::count(depths(edges, ranks, root), -1), 0);
      }
    }
  }
}

// Three groups of four: two edges between groups, the rest inside.
TEST(Trees, HierarchyCrossesBetweenGroupsOnce) {
  const std::vector<TreeLevel> levels = {{3, flat_tree}, {1, chain}};
  int crossings = 0;
  for (const auto& [parent, child] : hierarchical_tree(12, 5, levels))
    crossings += parent / 4 != child / 4 ? 1 : 0;
  EXPECT_EQ(crossings, 2);
}

}  // namespace trees_test
}  // namespace cuboid::detail
