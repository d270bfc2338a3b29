// What one rank is told of its trees is what it does in the whole ones.

#include "collectives/forests/relatives.hpp"

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
namespace {

Relatives in(const std::vector<Edge>& tree, int rank) {
  Relatives relatives;
  for (const auto& [parent, child] : tree) {
    if (child == rank) relatives.parent = parent;
    if (parent == rank) relatives.children.push_back(child);
  }
  return relatives;
}

constexpr std::pair<TreeShape, RelativesShape> shapes[] = {
    {flat_tree, flat_relatives},     {binomial_tree, binomial_relatives},
    {chain, chain_relatives},        {downward_chain, downward_chain_relatives},
    {binary_tree, binary_relatives}, {in_order_tree, in_order_relatives}};

TEST(Relatives, AreThoseOfTheWholeTree) {
  for (int ranks = 1; ranks <= 35; ++ranks) {
    for (int root = 0; root < ranks; ++root) {
      for (int rank = 0; rank < ranks; ++rank) {
        for (const auto& [tree, relatives] : shapes)
          EXPECT_EQ(relatives(ranks, root, rank), in(tree(ranks, root), rank));
        for (const int radix : {3, 4, 6, 8})
          EXPECT_EQ(knomial_relatives(ranks, root, rank, radix),
                    in(knomial_tree(ranks, root, radix), rank));
        const auto both = double_binary_trees(ranks, root);
        for (std::size_t tree = 0; tree < 2; ++tree)
          EXPECT_EQ(double_binary_relatives(ranks, root, rank)[tree], in(both[tree], rank))
              << ranks << " ranks, root " << root << ", rank " << rank << ", tree " << tree;
      }
    }
  }
}

TEST(Relatives, OfHierarchiesAreThoseOfTheWholeTree) {
  for (const int ranks : {1, 2, 5, 12, 17}) {
    for (int groups = 1; groups <= ranks; ++groups) {
      const std::vector<TreeLevel> levels = {{groups, binomial_tree, binomial_relatives},
                                             {2, chain, chain_relatives},
                                             {1, binary_tree, binary_relatives}};
      for (int root = 0; root < ranks; ++root) {
        const auto tree = hierarchical_tree(ranks, root, levels);
        for (int rank = 0; rank < ranks; ++rank)
          EXPECT_EQ(hierarchical_relatives(ranks, root, rank, levels), in(tree, rank))
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

TEST(Relatives, OfShapesAreThoseOfTheWholeTrees) {
  for (const Shape& shape : small_shapes()) {
    for (NodeIndex root = 0; root < shape.nodes(); ++root) {
      const auto halving = halving_tree(shape, root);
      for (const Colours colours : {Colours::every_link, Colours::shortest}) {
        const auto trees = rectangular_trees(shape, root, colours);
        for (NodeIndex node = 0; node < shape.nodes(); ++node) {
          ASSERT_EQ(halving_relatives(shape, root, node), in(halving, static_cast<int>(node)));
          const auto relatives = rectangular_relatives(shape, root, node, colours);
          ASSERT_EQ(relatives.size(), trees.size());
          for (std::size_t tree = 0; tree < trees.size(); ++tree)
            ASSERT_EQ(relatives[tree], in(trees[tree], static_cast<int>(node)))
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
TEST(Relatives, OfLargeToriLeadToTheRoot) {
  std::mt19937 random(1);
  for (const Shape& shape : large_shapes) {
    const int depth = rectangular_depth(shape, Colours::every_link);
    std::uniform_int_distribution<NodeIndex> any(0, shape.nodes() - 1);
    for (int turn = 0; turn < 40; ++turn) {
      const NodeIndex root = any(random);
      const NodeIndex start = any(random);
      const auto trees = rectangular_relatives(shape, root, start);
      EXPECT_EQ(static_cast<int>(trees.size()), 2 * shape.dimensions());
      for (std::size_t tree = 0; tree < trees.size(); ++tree) {
        NodeIndex node = start;
        int steps = 0;
        while (node != root && steps <= depth) {
          const NodeIndex parent = *rectangular_relatives(shape, root, node)[tree].parent;
          EXPECT_EQ(shape.distance(parent, node), 1);
          const auto siblings = rectangular_relatives(shape, root, parent)[tree].children;
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
TEST(Relatives, OfLargeToriShareNoLink) {
  std::mt19937 random(2);
  for (const Shape& shape : large_shapes) {
    std::uniform_int_distribution<NodeIndex> any(0, shape.nodes() - 1);
    for (int turn = 0; turn < 500; ++turn) {
      std::set<int> told;
      for (const Relatives& tree : rectangular_relatives(shape, any(random), any(random))) {
        for (const int child : tree.children) EXPECT_TRUE(told.insert(child).second);
      }
    }
  }
}

// Trees of another root are the same trees moved: so what holds of one root holds of all.
TEST(Relatives, OfAnotherRootOfATorusAreMoved) {
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
      auto trees = rectangular_relatives(shape, root, node);
      for (Relatives& tree : trees) {
        if (tree.parent) tree.parent = static_cast<int>(moved(*tree.parent));
        for (int& child : tree.children) child = static_cast<int>(moved(child));
      }
      EXPECT_EQ(rectangular_relatives(shape, moved(root), moved(node)), trees);
    }
  }
}

}  // namespace
}  // namespace cuboid::detail
