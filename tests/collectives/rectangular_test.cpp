#include <cuboid/base/error.hpp>
#include <cuboid/collectives/checker.hpp>
#include <cuboid/collectives/forests/rectangular.hpp>
#include <cuboid/collectives/group_shape.hpp>
#include <cuboid/topology/recognise.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid {
namespace {

constexpr NodeIndex most_nodes = 64;
constexpr int most_dimensions = 4;

// Every shape of up to most_nodes nodes and most_dimensions axes whose axes all wrap, or none, and
// some with axes of extent 1. Torus axes of extent 2 are left out: an Edge does not say which of
// two cables it is.
std::vector<Shape> shapes(bool wraps) {
  std::vector<Shape> found;
  std::vector<Axis> axes;
  const auto extend = [&](const auto& self, NodeIndex nodes) -> void {
    found.emplace_back(axes);
    if (static_cast<int>(axes.size()) == most_dimensions) return;
    for (int extent = wraps ? 3 : 2; nodes * extent <= most_nodes; ++extent) {
      axes.push_back({extent, wraps});
      self(self, nodes * extent);
      axes.pop_back();
    }
  };
  extend(extend, 1);
  found.push_back(Shape({{1, wraps}}));
  found.push_back(Shape({{1, wraps}, {4, wraps}, {1, wraps}, {3, wraps}}));
  return found;
}

int degree_out_of_corner(const Shape& shape) {
  int degree = 0;
  for (const Axis& axis : shape.axes()) {
    if (axis.extent > 1) degree += axis.wraps ? 2 : 1;
  }
  return degree;
}

// Whether the trees span the shape over its cables, reaching each node once, and share no link.
void expect_edge_disjoint_spanning(const Shape& shape, NodeIndex root,
                                   const std::vector<std::vector<Edge>>& trees) {
  const auto nodes = static_cast<std::size_t>(shape.nodes());
  const auto number = [nodes](int from, int to) {
    return static_cast<std::size_t>(from) * nodes + static_cast<std::size_t>(to);
  };
  std::vector<bool> free_link(nodes * nodes, false);
  for (int node = 0; node < shape.nodes(); ++node) {
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      for (const int direction : {+1, -1}) {
        const NodeIndex neighbour = shape.neighbour(node, axis, direction);
        if (neighbour >= 0) free_link[number(node, static_cast<int>(neighbour))] = true;
      }
    }
  }
  int longest = 0;
  for (const auto& tree : trees) {
    std::vector<int> depth(nodes, -1);
    depth[static_cast<std::size_t>(root)] = 0;
    for (const auto& [parent, child] : tree) {
      ASSERT_GE(depth[static_cast<std::size_t>(parent)], 0);
      ASSERT_EQ(depth[static_cast<std::size_t>(child)], -1);
      ASSERT_TRUE(free_link[number(parent, child)]);
      free_link[number(parent, child)] = false;
      depth[static_cast<std::size_t>(child)] = depth[static_cast<std::size_t>(parent)] + 1;
    }
    ASSERT_EQ(std::count(depth.begin(), depth.end(), -1), 0);
    longest = std::max(longest, *std::max_element(depth.begin(), depth.end()));
  }
  int bound = 1;
  for (const Axis& axis : shape.axes()) bound += axis.extent - 1;
  ASSERT_LE(longest, bound);
}

class RectangularTrees : public testing::TestWithParam<bool> {};

TEST_P(RectangularTrees, AreAsManyAsTheCutAllowsAndShareNoLink) {
  for (const Shape& shape : shapes(GetParam())) {
    SCOPED_TRACE(shape.to_string());
    for (NodeIndex root = 0; root < shape.nodes(); ++root) {
      const auto trees = rectangular_trees(shape, root);
      ASSERT_EQ(static_cast<int>(trees.size()), degree_out_of_corner(shape));
      ASSERT_EQ(has_rectangular_trees(shape), !trees.empty());
      expect_edge_disjoint_spanning(shape, root, trees);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ToriAndMeshes, RectangularTrees, testing::Bool());

TEST(RectangularTreesOf, MixedShapesAndForeignRootsAreRefused) {
  const Shape mixed({{4, true}, {3, false}});
  EXPECT_FALSE(has_rectangular_trees(mixed));
  EXPECT_THROW(rectangular_trees(mixed, 0), Error);
  EXPECT_THROW(rectangular_trees(Shape({{4, true}}), 4), Error);
  EXPECT_THROW(rectangular_trees(Shape({{4, true}}), -1), Error);
}

// What a discovery of `shape` looks like to ranks placed on its nodes.
Discovery discovered(const Shape& shape, std::vector<int> node_of_rank) {
  const std::vector<double> rates(static_cast<std::size_t>(shape.dimensions()), 1e6);
  Discovery discovery;
  discovery.network = Network::of_shape(shape, rates);
  discovery.recognition = recognise(discovery.network);
  discovery.node_of_rank = std::move(node_of_rank);
  return discovery;
}

std::vector<int> first(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(GroupShape, IsTheWholeNetworkUnderAnyNumbering) {
  std::vector<int> nodes = first(15);
  std::shuffle(nodes.begin(), nodes.end(), std::mt19937(7));
  const Discovery discovery = discovered(Shape({{3, true}, {5, true}}), nodes);
  const auto group = shape_of_group(discovery, first(15));
  ASSERT_TRUE(group);
  EXPECT_EQ(group->shape.nodes(), 15);
  EXPECT_TRUE(group->shape.wraps(0) && group->shape.wraps(1));
  EXPECT_EQ(group->link_bytes_per_second, 1e6);
  for (NodeIndex place = 0; place < 15; ++place) {
    const int rank = group->rank_of_place[static_cast<std::size_t>(place)];
    const NodeIndex node =
        discovery.recognition
            ->place[static_cast<std::size_t>(nodes[static_cast<std::size_t>(rank)])];
    EXPECT_EQ(node, place);
  }
}

TEST(GroupShape, LinesAndBoxesThatRunOverTheEndAreShapesToo) {
  const Discovery discovery = discovered(Shape({{5, true}, {4, true}}), first(20));
  const auto node = [&](int x, int y) {
    const Shape& shape = discovery.recognition->shape;
    const std::vector<int> coordinate = {x, y};
    const auto& place = discovery.recognition->place;
    return static_cast<int>(std::find(place.begin(), place.end(), shape.index(coordinate)) -
                            place.begin());
  };
  const std::vector<int> line = {node(2, 0), node(2, 1), node(2, 2), node(2, 3)};
  const auto ring = shape_of_group(discovery, line);
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->shape.nodes(), 4);
  EXPECT_TRUE(ring->shape.wraps(1));

  const std::vector<int> box = {node(4, 1), node(0, 1), node(4, 2), node(0, 2)};
  const auto over_the_end = shape_of_group(discovery, box);
  ASSERT_TRUE(over_the_end);
  EXPECT_FALSE(over_the_end->shape.wraps(0));
  EXPECT_EQ(over_the_end->rank_of_place, (std::vector<int>{0, 2, 1, 3}));

  const std::vector<int> scattered = {node(0, 0), node(2, 2)};
  EXPECT_FALSE(shape_of_group(discovery, scattered));
  const std::vector<int> corner = {node(0, 0), node(0, 1), node(1, 0)};
  EXPECT_FALSE(shape_of_group(discovery, corner));
}

TEST(GroupShape, NeedsANodeForEveryRankAndEveryCable) {
  EXPECT_FALSE(shape_of_group(discovered(Shape({{4, true}}), {0, 1, 2, 2}), first(4)));

  Discovery damaged = discovered(Shape({{4, true}, {4, true}}), first(16));
  damaged.recognition->missing_cables.push_back({0, 0});
  EXPECT_FALSE(shape_of_group(damaged, first(16)));

  Discovery unknown;
  unknown.node_of_rank = {0, 1};
  EXPECT_FALSE(shape_of_group(unknown, first(2)));
}

TEST(RectangularForest, FulfilsItsContractForEveryFlow) {
  std::vector<int> ranks = first(27);
  std::shuffle(ranks.begin(), ranks.end(), std::mt19937(3));
  const GroupShape group{Shape({{3, true}, {3, true}, {3, true}}), ranks, 0};
  for (const std::size_t elements : {0u, 1u, 5u, 1000u}) {
    const std::size_t bytes = elements * 8;
    for (int root = 0; root < 27; ++root) {
      const Contract broadcast = Contract::broadcast(27, bytes, root);
      const Forest forest = rectangular_forest(broadcast, Flow::multicast, group, 8);
      check(forest, broadcast);
      EXPECT_TRUE(shared_edges(forest).empty());
      for (const Tree& tree : forest.trees) EXPECT_EQ(tree.slice.bytes % 8, 0u);
      const Contract reduce = Contract::reduce(27, bytes, root);
      check(rectangular_forest(reduce, Flow::combine, group, 8), reduce);
    }
    const Contract allreduce = Contract::allreduce(27, bytes);
    check(rectangular_forest(allreduce, Flow::combine_then_multicast, group, 8), allreduce);
    const std::vector<std::size_t> blocks(27, bytes);
    check(rectangular_forest(Contract::allgather(blocks), Flow::multicast, group, 8),
          Contract::allgather(blocks));
    check(rectangular_forest(Contract::reduce_scatter(blocks), Flow::combine, group, 8),
          Contract::reduce_scatter(blocks));
  }
}

}  // namespace
}  // namespace cuboid
