#include <cuboid/error.hpp>
#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include "tests/topology/shape/shapes.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace shape_test {

TEST(Shape, IndexAndCoordinateAreInverse) {
  for (const Shape& shape : shapes_up_to(36, 3)) {
    for (NodeIndex node = 0; node < shape.nodes(); ++node) {
      EXPECT_EQ(shape.index(shape.coordinate(node)), node) << shape.to_string();
      for (int axis = 0; axis < shape.dimensions(); ++axis)
        EXPECT_EQ(shape.coordinate(node, axis),
                  shape.coordinate(node)[static_cast<std::size_t>(axis)]);
    }
  }
}

TEST(Shape, LastAxisIsFastest) {
  const Shape shape({{3, true}, {4, false}});
  EXPECT_EQ(shape.coordinate(5), (Coordinate{1, 1}));
  EXPECT_EQ(shape.stride(0), 4);
  EXPECT_EQ(shape.stride(1), 1);
}

TEST(Shape, NeighboursAreMutualAndOneStepApart) {
  for (const Shape& shape : shapes_up_to(36, 3)) {
    for (NodeIndex node = 0; node < shape.nodes(); ++node) {
      for (int axis = 0; axis < shape.dimensions(); ++axis) {
        for (const int direction : {+1, -1}) {
          const NodeIndex next = shape.neighbour(node, axis, direction);
          if (next < 0) continue;
          EXPECT_EQ(shape.neighbour(next, axis, -direction), node) << shape.to_string();
          EXPECT_EQ(shape.distance(node, next), 1) << shape.to_string();
        }
      }
    }
  }
}

TEST(Shape, MeshEndsAndTorusGoesRound) {
  const Shape mesh({{3, false}});
  EXPECT_EQ(mesh.neighbour(0, 0, -1), -1);
  EXPECT_EQ(mesh.neighbour(2, 0, +1), -1);
  const Shape torus({{3, true}});
  EXPECT_EQ(torus.neighbour(0, 0, -1), 2);
  EXPECT_EQ(torus.neighbour(2, 0, +1), 0);
  const Shape single({{1, true}});
  EXPECT_EQ(single.neighbour(0, 0, +1), -1);
  EXPECT_EQ(single.cables(), 0);
}

TEST(Shape, RefusesWhatIsNoShape) {
  EXPECT_THROW(Shape({{0, false}}), Error);
  EXPECT_THROW(Shape({{-3, true}}), Error);
  EXPECT_THROW(Shape(std::vector<Axis>(9, Axis{1, false})), Error);
  EXPECT_THROW(Shape({{1 << 16, false}, {1 << 15, false}}), Error);
  EXPECT_EQ(Shape({{std::numeric_limits<int>::max(), false}}).nodes(),
            std::numeric_limits<int>::max());
  EXPECT_THROW(Shape::hypercube(9), Error);
  EXPECT_THROW(Shape::hypercube(-1), Error);
  const Shape shape({{2, false}, {3, true}});
  EXPECT_THROW(shape.coordinate(6), Error);
  EXPECT_THROW(shape.coordinate(-1), Error);
  EXPECT_THROW(shape.index(Coordinate{0, 3}), Error);
  EXPECT_THROW(shape.index(Coordinate{0}), Error);
}

TEST(Network, OfShapeHasTheShapesCables) {
  for (const Shape& shape : shapes_up_to(36, 3)) {
    const Network network = Network::of_shape(shape);
    ASSERT_EQ(network.nodes(), shape.nodes());
    EXPECT_EQ(network.cables(), shape.cables()) << shape.to_string();
    for (int node = 0; node < network.nodes(); ++node) {
      std::vector<NodeIndex> expected;
      for (int axis = 0; axis < shape.dimensions(); ++axis) {
        for (const int direction : {+1, -1}) {
          const NodeIndex next = shape.neighbour(node, axis, direction);
          if (next >= 0) expected.push_back(next);
        }
      }
      std::vector<NodeIndex> found;
      for (const int link : network.links_from(node)) {
        EXPECT_EQ(network.links()[static_cast<std::size_t>(link)].from, node);
        found.push_back(network.links()[static_cast<std::size_t>(link)].to);
      }
      std::ranges::sort(expected);
      std::ranges::sort(found);
      EXPECT_EQ(found, expected) << shape.to_string() << " node " << node;
    }
  }
}

TEST(Network, OfShapeHasOneRatePerAxis) {
  const Shape shape({{3, true}, {2, false}});
  const Network network = Network::of_shape(shape, std::vector{5.0, 7.0});
  for (const Link& link : network.links()) {
    const bool along_first = link.from % 2 == link.to % 2;
    EXPECT_EQ(link.bytes_per_second, along_first ? 5.0 : 7.0);
  }
  EXPECT_THROW(Network::of_shape(shape, std::vector{5.0}), Error);
}

TEST(Network, FindsNodesByName) {
  const Network network = Network::of_shape(Shape({{3, true}, {2, false}}));
  EXPECT_EQ(network.find("2,1"), 5);
  EXPECT_EQ(network.find("2,2"), std::nullopt);
}

TEST(Network, RefusesBadNodesAndCables) {
  Network network;
  network.add_node("a");
  network.add_node("b");
  EXPECT_THROW(network.add_node(""), Error);
  EXPECT_THROW(network.add_node("a"), Error);
  EXPECT_EQ(network.nodes(), 2);
  EXPECT_THROW(network.add_cable(0, 0), Error);
  EXPECT_THROW(network.add_cable(0, 2), Error);
  EXPECT_THROW(network.add_cable(-1, 0), Error);
  EXPECT_THROW(network.add_cable(0, 1, -1), Error);
  EXPECT_THROW(network.add_cable(0, 1, std::numeric_limits<double>::infinity()), Error);
  EXPECT_THROW(network.add_cable(0, 1, std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_EQ(network.cables(), 0);
}

}  // namespace shape_test
}  // namespace cuboid::detail
