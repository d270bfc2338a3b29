// What one rank is told of its trees is what it does in the whole ones.

#include "collectives/forests/tree_neighbours.hpp"

#include "collectives/forests/forests.hpp"
#include "collectives/forests/grouped.hpp"
#include "collectives/forests/halving.hpp"
#include "collectives/forests/rectangular.hpp"
#include "collectives/forests/trees.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace tree_neighbours_test {

TreeNeighbours in(const std::vector<Edge>& tree, int rank) {
  TreeNeighbours neighbours;
  for (const auto& [parent, child] : tree) {
    if (child == rank) neighbours.parent = parent;
    if (parent == rank) neighbours.children.push_back(child);
  }
  return neighbours;
}

constexpr std::pair<TreeShape, TreeNeighboursShape> shapes[] = {
    {flat_tree, flat_neighbours},     {binomial_tree, binomial_neighbours},
    {chain, chain_neighbours},        {downward_chain, downward_chain_neighbours},
    {binary_tree, binary_neighbours}, {in_order_tree, in_order_neighbours}};

TEST(TreeNeighbours, AreThoseOfTheWholeTree) {
  for (int ranks = 1; ranks <= 35; ++ranks) {
    for (int root = 0; root < ranks; ++root) {
      for (int rank = 0; rank < ranks; ++rank) {
        for (const auto& [tree, neighbours] : shapes)
          EXPECT_EQ(neighbours(ranks, root, rank), in(tree(ranks, root), rank));
        for (const int radix : {3, 4, 6, 8})
          EXPECT_EQ(knomial_neighbours(ranks, root, rank, radix),
                    in(knomial_tree(ranks, root, radix), rank));
        const auto both = double_binary_trees(ranks, root);
        for (std::size_t tree = 0; tree < 2; ++tree)
          EXPECT_EQ(double_binary_neighbours(ranks, root, rank)[tree], in(both[tree], rank))
              << ranks << " ranks, root " << root << ", rank " << rank << ", tree " << tree;
      }
    }
  }
}

TEST(TreeNeighbours, OfHierarchiesAreThoseOfTheWholeTree) {
  for (const int ranks : {1, 2, 5, 12, 17}) {
    for (int groups = 1; groups <= ranks; ++groups) {
      const std::vector<TreeLevel> levels = {{groups, binomial_tree, binomial_neighbours},
                                             {2, chain, chain_neighbours},
                                             {1, binary_tree, binary_neighbours}};
      for (int root = 0; root < ranks; ++root) {
        const auto tree = hierarchical_tree(ranks, root, levels);
        for (int rank = 0; rank < ranks; ++rank)
          EXPECT_EQ(hierarchical_neighbours(ranks, root, rank, levels), in(tree, rank))
              << ranks << " ranks in " << groups << " groups, root " << root << ", rank " << rank;
      }
    }
  }
}

// Every shape of up to 24 nodes and four axes, in every mix of axes that wrap and axes that do not.
std::vector<Shape> small_shapes() {
  std::vector<Shape> found;
  std::vector<Axis> axes;
  const auto extend = [&](const auto& self, NodeIndex nodes) -> void {
    found.emplace_back(axes);
    if (axes.size() == 4) return;
    for (const bool wraps : {false, true}) {
      for (int extent = 2; nodes * extent <= 24; ++extent) {
        axes.push_back({extent, wraps});
        self(self, nodes * extent);
        axes.pop_back();
      }
    }
  };
  extend(extend, 1);
  found.push_back(Shape({{1, true}, {4, false}, {1, false}, {3, true}}));
  return found;
}

TEST(TreeNeighbours, OfShapesAreThoseOfTheWholeTrees) {
  for (const Shape& shape : small_shapes()) {
    for (NodeIndex root = 0; root < shape.nodes(); ++root) {
      const auto halving = halving_tree(shape, root);
      for (const Colours colours : {Colours::every_link, Colours::shortest}) {
        const auto trees = rectangular_trees(shape, root, colours);
        for (NodeIndex node = 0; node < shape.nodes(); ++node) {
          ASSERT_EQ(halving_neighbours(shape, root, node), in(halving, static_cast<int>(node)));
          const auto neighbours = rectangular_neighbours(shape, root, node, colours);
          ASSERT_EQ(neighbours.size(), trees.size());
          for (std::size_t tree = 0; tree < trees.size(); ++tree)
            ASSERT_EQ(neighbours[tree], in(trees[tree], static_cast<int>(node)))
                << shape.to_string() << ", root " << root << ", node " << node << ", tree " << tree;
        }
      }
    }
  }
}

const Shape large_shapes[] = {
    Shape::torus(std::array{64, 64, 64}), Shape::torus(std::array{8, 8, 8, 8, 8, 8}),
    Shape::torus(std::array{16, 32, 32}), Shape::torus(std::array{3, 999})};

// From any node the parents lead to the root, over links, in as many steps as the depth allows, and
// every parent knows its child. So the trees span the shape.
TEST(TreeNeighbours, OfLargeToriLeadToTheRoot) {
  std::mt19937 random(1);
  for (const Shape& shape : large_shapes) {
    const int depth = rectangular_depth(shape, Colours::every_link);
    std::uniform_int_distribution<NodeIndex> any(0, shape.nodes() - 1);
    for (int turn = 0; turn < 40; ++turn) {
      const NodeIndex root = any(random);
      const NodeIndex start = any(random);
      const auto trees = rectangular_neighbours(shape, root, start);
      EXPECT_EQ(static_cast<int>(trees.size()), 2 * shape.dimensions());
      for (std::size_t tree = 0; tree < trees.size(); ++tree) {
        NodeIndex node = start;
        int steps = 0;
        while (node != root && steps <= depth) {
          const NodeIndex parent = *rectangular_neighbours(shape, root, node)[tree].parent;
          EXPECT_EQ(shape.distance(parent, node), 1);
          const auto siblings = rectangular_neighbours(shape, root, parent)[tree].children;
          EXPECT_TRUE(std::ranges::count(siblings, static_cast<int>(node)) == 1);
          node = parent;
          ++steps;
        }
        EXPECT_LE(steps, depth) << shape.to_string();
      }
    }
  }
}

// No link out of a node serves two trees.
TEST(TreeNeighbours, OfLargeToriShareNoLink) {
  std::mt19937 random(2);
  for (const Shape& shape : large_shapes) {
    std::uniform_int_distribution<NodeIndex> any(0, shape.nodes() - 1);
    for (int turn = 0; turn < 500; ++turn) {
      std::set<int> told;
      for (const TreeNeighbours& tree : rectangular_neighbours(shape, any(random), any(random))) {
        for (const int child : tree.children) EXPECT_TRUE(told.insert(child).second);
      }
    }
  }
}

// Trees of another root are the same trees moved: so what holds of one root holds of all.
TEST(TreeNeighbours, OfAnotherRootOfATorusAreMoved) {
  std::mt19937 random(3);
  for (const Shape& shape : large_shapes) {
    std::uniform_int_distribution<NodeIndex> any(0, shape.nodes() - 1);
    for (int turn = 0; turn < 200; ++turn) {
      const Coordinate by = shape.coordinate(any(random));
      const auto moved = [&](NodeIndex node) {
        Coordinate coordinate = shape.coordinate(node);
        for (std::size_t axis = 0; axis < by.size(); ++axis)
          coordinate[axis] = (coordinate[axis] + by[axis]) % shape.extent(static_cast<int>(axis));
        return shape.index(coordinate);
      };
      const NodeIndex root = any(random);
      const NodeIndex node = any(random);
      auto trees = rectangular_neighbours(shape, root, node);
      for (TreeNeighbours& tree : trees) {
        if (tree.parent) tree.parent = static_cast<int>(moved(*tree.parent));
        for (int& child : tree.children) child = static_cast<int>(moved(child));
      }
      EXPECT_EQ(rectangular_neighbours(shape, moved(root), moved(node)), trees);
    }
  }
}

}  // namespace tree_neighbours_test
}  // namespace cuboid::detail
