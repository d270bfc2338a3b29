#include "topology/shape/cuboid.hpp"

#include <cuboid/error.hpp>

#include "tests/topology/shape/shapes.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace cuboid_test {

/// Every box of a shape.
std::vector<Cuboid> boxes_of(const Shape& shape) {
  std::vector<Cuboid> boxes;
  std::vector<int> sizes;
  for (const Axis& axis : shape.axes()) sizes.push_back(axis.extent);
  const Shape choices = Shape::mesh(sizes);
  for (NodeIndex origin = 0; origin < choices.nodes(); ++origin) {
    for (NodeIndex size = 0; size < choices.nodes(); ++size) {
      std::vector<int> extents = choices.coordinate(size);
      for (int& extent : extents) ++extent;
      try {
        boxes.emplace_back(shape, choices.coordinate(origin), extents);
      } catch (const Error&) {
        // Leaves an axis that does not wrap.
      }
    }
  }
  return boxes;
}

TEST(Cuboid, PlaceAndNodeAreInverse) {
  for (const Shape& shape : shapes_up_to(12, 3)) {
    for (const Cuboid& box : boxes_of(shape)) {
      std::set<NodeIndex> nodes;
      for (NodeIndex place = 0; place < box.nodes(); ++place) {
        const NodeIndex node = box.node(place);
        EXPECT_EQ(box.place(node), place) << box.to_string();
        EXPECT_TRUE(box.contains(node));
        nodes.insert(node);
      }
      EXPECT_EQ(std::ssize(nodes), box.nodes()) << box.to_string();
      for (NodeIndex node = 0; node < shape.nodes(); ++node) {
        EXPECT_EQ(box.contains(node), nodes.contains(node)) << box.to_string();
        EXPECT_EQ(box.place(node).has_value(), nodes.contains(node)) << box.to_string();
      }
    }
  }
}

TEST(Cuboid, NeighboursInsideAreNeighboursInTheShape) {
  for (const Shape& shape : shapes_up_to(12, 3)) {
    for (const Cuboid& box : boxes_of(shape)) {
      for (NodeIndex place = 0; place < box.nodes(); ++place) {
        for (int axis = 0; axis < box.dimensions(); ++axis) {
          const NodeIndex next = box.inside().neighbour(place, axis, +1);
          if (next < 0) continue;
          EXPECT_EQ(shape.neighbour(box.node(place), axis, +1), box.node(next)) << box.to_string();
        }
      }
    }
  }
}

TEST(Cuboid, WrapsOnlyWhereItSpansAWrappingAxis) {
  const Shape shape({{4, true}, {3, false}});
  const Cuboid part(shape, {3, 0}, {3, 3});
  EXPECT_FALSE(part.wraps(0));
  EXPECT_FALSE(part.wraps(1));
  EXPECT_EQ(part.node(part.inside().index(Coordinate{1, 2})), shape.index(Coordinate{0, 2}));
  EXPECT_TRUE(Cuboid(shape, {3, 0}, {4, 1}).wraps(0));
  EXPECT_TRUE(Cuboid(shape).wraps(0));
  EXPECT_EQ(Cuboid(shape).node_list().size(), 12U);
}

TEST(Cuboid, RefusesBoxesThatDoNotFit) {
  const Shape shape({{4, true}, {3, false}});
  EXPECT_THROW(Cuboid(shape, {0, 1}, {1, 3}), Error);
  EXPECT_THROW(Cuboid(shape, {0, 0}, {5, 1}), Error);
  EXPECT_THROW(Cuboid(shape, {0, 0}, {0, 1}), Error);
  EXPECT_THROW(Cuboid(shape, {4, 0}, {1, 1}), Error);
  EXPECT_THROW(Cuboid(shape, {0}, {1, 1}), Error);
}

TEST(Cuboid, LinesAndPlanesCutTheShapeIntoParallelParts) {
  const auto expect_partition = [](const Shape& shape, const std::vector<Cuboid>& parts) {
    std::multiset<NodeIndex> nodes;
    for (const Cuboid& part : parts) {
      for (const NodeIndex node : part.node_list()) nodes.insert(node);
    }
    EXPECT_EQ(std::ssize(nodes), shape.nodes()) << shape.to_string();
    EXPECT_EQ(std::set<NodeIndex>(nodes.begin(), nodes.end()).size(), nodes.size());
  };
  for (const Shape& shape : shapes_up_to(24, 3)) {
    for (int first = 0; first < shape.dimensions(); ++first) {
      const std::vector<Cuboid> along = lines(shape, first);
      EXPECT_EQ(along.front().nodes(), shape.extent(first));
      EXPECT_EQ(along.front().wraps(first), shape.wraps(first));
      expect_partition(shape, along);
      for (int second = first + 1; second < shape.dimensions(); ++second) {
        const std::vector<Cuboid> both = planes(shape, first, second);
        EXPECT_EQ(both.front().nodes(), shape.extent(first) * shape.extent(second));
        expect_partition(shape, both);
      }
    }
  }
  const Shape shape({{4, true}, {3, false}});
  EXPECT_THROW(lines(shape, 2), Error);
  EXPECT_THROW(planes(shape, 1, 1), Error);
}

}  // namespace cuboid_test
}  // namespace cuboid::detail
