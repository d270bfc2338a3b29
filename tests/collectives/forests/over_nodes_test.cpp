// Forests over nodes with any number of ranks each: what they achieve, and what crosses between
// nodes.

#include "collectives/forests/over_nodes.hpp"

#include "collectives/forests/rectangular.hpp"
#include "collectives/schedules/checker.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace over_nodes_test {

// Ranks distributed to the nodes of a shape in random order, `counts` in turn.
GroupNodes dealt(const Shape& shape, const std::vector<int>& counts) {
  GroupNodes group;
  group.shape = shape;
  int ranks = 0;
  for (NodeIndex node = 0; node < shape.nodes(); ++node)
    ranks += counts[static_cast<std::size_t>(node) % counts.size()];
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  auto next = order.begin();
  for (NodeIndex node = 0; node < shape.nodes(); ++node) {
    const auto end = next + counts[static_cast<std::size_t>(node) % counts.size()];
    group.ranks_of_node.emplace_back(next, end);
    std::ranges::sort(group.ranks_of_node.back());
    next = end;
  }
  return group;
}

std::vector<GroupNodes> groups() {
  return {dealt(Shape({{3, true}, {3, true}}), {1}), dealt(Shape({{4, true}, {3, true}}), {4}),
          dealt(Shape({{4, true}, {3, false}}), {2, 1, 3}),
          dealt(Shape({{2, false}, {2, false}, {2, false}}), {1, 5}),
          dealt(Shape({{5, false}}), {3, 1})};
}

Forest rectangular(const Conditions& conditions, Flow flow, const GroupNodes& group,
                   std::size_t element_bytes, int roots = 1) {
  return forest_over_nodes(conditions, flow, group, element_bytes, roots, [&](int node) {
    std::vector<NodeTree> trees;
    for (auto& edges : rectangular_trees(*group.shape, node)) trees.push_back({std::move(edges)});
    return trees;
  });
}

TEST(ForestOverNodes, FulfilsEveryContract) {
  for (const GroupNodes& group : groups()) {
    const int ranks = group.ranks();
    for (const std::size_t elements : {0U, 1U, 5U, 1000U}) {
      const std::size_t bytes = elements * 8;
      for (int root = 0; root < ranks; ++root) {
        const Conditions broadcast = Conditions::broadcast(ranks, bytes, root);
        const Forest forest = rectangular(broadcast, Flow::multicast, group, 8);
        check(forest, broadcast);
        for (const Tree& tree : forest.trees) EXPECT_EQ(tree.slice.bytes % 8, 0U);
        const Conditions reduce = Conditions::reduce(ranks, bytes, root);
        check(rectangular(reduce, Flow::combine, group, 8), reduce);
      }
      const Conditions allreduce = Conditions::allreduce(ranks, bytes);
      for (const int roots : {1, 2, group.nodes()})
        check(rectangular(allreduce, Flow::combine_then_multicast, group, 8, roots), allreduce);
      const std::vector<std::size_t> blocks(static_cast<std::size_t>(ranks), bytes);
      const Conditions allgather = Conditions::allgather(blocks);
      check(rectangular(allgather, Flow::multicast, group, 8), allgather);
      const Conditions reduce_scatter = Conditions::reduce_scatter(blocks);
      check(rectangular(reduce_scatter, Flow::combine, group, 8), reduce_scatter);
    }
  }
}

// Bytes that go from node to node, by the two nodes.
std::map<std::pair<int, int>, std::size_t> crossings(const Forest& forest,
                                                     const GroupNodes& group) {
  const std::vector<int> node = group.node_of_rank();
  std::map<std::pair<int, int>, std::size_t> bytes;
  for (const Tree& tree : forest.trees) {
    for (const auto& [parent, child] : tree.edges) {
      const int from = node[static_cast<std::size_t>(parent)];
      const int to = node[static_cast<std::size_t>(child)];
      if (from != to) bytes[{from, to}] += tree.slice.bytes;
    }
  }
  return bytes;
}

TEST(ForestOverNodes, CarriesNoByteOverALinkTwice) {
  for (const GroupNodes& group : groups()) {
    const std::size_t bytes = 9600;
    const int colours = rectangular_colours(*group.shape, Colours::every_link);
    for (int root = 0; root < group.ranks(); ++root) {
      const Forest forest =
          rectangular(Conditions::broadcast(group.ranks(), bytes, root), Flow::multicast, group, 8);
      std::size_t all = 0;
      for (const auto& [link, carried] : crossings(forest, group)) {
        EXPECT_LE(carried, bytes / static_cast<std::size_t>(colours) + 8);
        all += carried;
      }
      EXPECT_EQ(all, bytes * static_cast<std::size_t>(group.nodes() - 1));
    }
  }
}

TEST(ForestOverNodes, SharesTheColoursAmongTheRanksOfANode) {
  const GroupNodes group = dealt(Shape({{4, true}, {4, true}}), {4});
  const Forest forest = rectangular(Conditions::broadcast(64, 6400, 7), Flow::multicast, group, 8);
  const std::vector<int> node = group.node_of_rank();
  std::vector<int> received(64, 0);
  for (const Tree& tree : forest.trees) {
    for (const auto& [parent, child] : tree.edges) {
      if (node[static_cast<std::size_t>(parent)] != node[static_cast<std::size_t>(child)])
        ++received[static_cast<std::size_t>(child)];
    }
  }
  for (int rank = 0; rank < 64; ++rank) {
    const bool with_root = node[static_cast<std::size_t>(rank)] == node[7];
    EXPECT_EQ(received[static_cast<std::size_t>(rank)], with_root ? 0 : 1) << rank;
  }
}

// On a torus, with a part of the message for every node, all links carry the same: the bound of
// 2·(p − 1)/p·m over 2d links.
TEST(ForestOverNodes, LoadsATorusEvenlyFromAllItsNodes) {
  for (const Shape& shape :
       {Shape({{4, true}, {4, true}}), Shape({{3, true}, {3, true}, {3, true}})}) {
    const GroupNodes group = dealt(shape, {1});
    const auto nodes = static_cast<std::size_t>(shape.nodes());
    const auto colours = static_cast<std::size_t>(rectangular_colours(shape, Colours::every_link));
    const std::size_t piece = 16;
    const Forest forest = rectangular(Conditions::allreduce(group.ranks(), piece * nodes * colours),
                                      Flow::combine_then_multicast, group, 8, group.nodes());
    const auto loads = crossings(forest, group);
    EXPECT_EQ(loads.size(), nodes * colours);
    for (const auto& [link, bytes] : loads) {
      const std::size_t back = loads.at({link.second, link.first});
      EXPECT_EQ(bytes + back, 2 * (nodes - 1) * piece);  // one flow outwards, one inwards
    }
  }
}

TEST(ForestOverNodes, FollowsTheSharesOfTheTrees) {
  const GroupNodes group = GroupNodes::apart(3);
  const Conditions conditions = Conditions::broadcast(3, 800, 0);
  const Forest forest = forest_over_nodes(conditions, Flow::multicast, group, 8, 1, [](int) {
    return std::vector<NodeTree>{{{{0, 1}, {1, 2}}, 0.75}, {{{0, 2}, {2, 1}}, 0.25}};
  });
  check(forest, conditions);
  ASSERT_EQ(forest.trees.size(), 2U);
  EXPECT_EQ(forest.trees[0].slice, (Slice{0, 600}));
  EXPECT_EQ(forest.trees[1].slice, (Slice{600, 200}));
}

}  // namespace over_nodes_test
}  // namespace cuboid::detail
