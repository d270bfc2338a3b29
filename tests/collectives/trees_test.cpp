#include <cuboid/collectives/forests/trees.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <vector>

#include "schedules.hpp"
#include <gtest/gtest.h>

namespace cuboid {
namespace {

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

INSTANTIATE_TEST_SUITE_P(Trees, EveryTreeShape, testing::ValuesIn(tree_shapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

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

}  // namespace
}  // namespace cuboid
