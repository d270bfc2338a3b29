#include "collectives/forests/rectangular.hpp"

#include <cuboid/error.hpp>
#include <cuboid/recognition.hpp>

#include "collectives/schedules/group_nodes.hpp"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {

void PrintTo(Colours colours, std::ostream* out) {
  *out << (colours == Colours::every_link ? "every_link" : "shortest");
}

namespace rectangular_test {

constexpr NodeIndex most_nodes = 64;
constexpr int most_dimensions = 4;

// Every shape of up to most_nodes nodes and most_dimensions axes, in every mix of axes that wrap
// and axes that do not, and some with axes of extent 1.
std::vector<Shape> shapes() {
  std::vector<Shape> found;
  std::vector<Axis> axes;
  const auto extend = [&](const auto& self, NodeIndex nodes) -> void {
    found.emplace_back(axes);
    if (static_cast<int>(axes.size()) == most_dimensions) return;
    for (const bool wraps : {false, true}) {
      for (int extent = 2; nodes * extent <= most_nodes; ++extent) {
        axes.push_back({extent, wraps});
        self(self, nodes * extent);
        axes.pop_back();
      }
    }
  };
  extend(extend, 1);
  for (const bool wraps : {false, true}) {
    found.push_back(Shape({{1, wraps}}));
    found.push_back(Shape({{1, wraps}, {4, !wraps}, {1, wraps}, {3, wraps}}));
  }
  return found;
}

// Links into a corner; on wrapping axes of extent 2 beside mesh axes, one of the two.
int links_into_corner(const Shape& shape) {
  const bool torus = std::ranges::all_of(
      shape.axes(), [](const Axis& axis) { return axis.wraps || axis.extent == 1; });
  int links = 0;
  for (const Axis& axis : shape.axes()) {
    if (axis.extent > 1) links += axis.wraps && (torus || axis.extent > 2) ? 2 : 1;
  }
  return links;
}

// Whether the trees span the shape over its cables, reaching each node once, and share no link.
void expect_edge_disjoint_spanning(const Shape& shape, NodeIndex root, int depth_bound,
                                   const std::vector<std::vector<Edge>>& trees) {
  const auto nodes = static_cast<std::size_t>(shape.nodes());
  const auto number = [nodes](int from, int to) {
    return static_cast<std::size_t>(from) * nodes + static_cast<std::size_t>(to);
  };
  std::vector<int> free_links(nodes * nodes, 0);  // two where there are two cables
  for (int node = 0; node < shape.nodes(); ++node) {
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      for (const int direction : {+1, -1}) {
        const NodeIndex neighbour = shape.neighbour(node, axis, direction);
        if (neighbour >= 0) ++free_links[number(node, static_cast<int>(neighbour))];
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
      ASSERT_GE(--free_links[number(parent, child)], 0) << parent << " - " << child;
      depth[static_cast<std::size_t>(child)] = depth[static_cast<std::size_t>(parent)] + 1;
    }
    ASSERT_EQ(std::count(depth.begin(), depth.end(), -1), 0);
    longest = std::max(longest, *std::max_element(depth.begin(), depth.end()));
  }
  ASSERT_LE(longest, depth_bound);
}

class RectangularTrees : public testing::TestWithParam<Colours> {};

TEST_P(RectangularTrees, ShareNoLinkFromAnyRootOfAnyShape) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.to_string());
    for (NodeIndex root = 0; root < shape.nodes(); ++root) {
      SCOPED_TRACE(root);
      const auto trees = rectangular_trees(shape, root, GetParam());
      ASSERT_EQ(static_cast<int>(trees.size()), rectangular_colours(shape, GetParam()));
      expect_edge_disjoint_spanning(shape, root, rectangular_depth(shape, GetParam()), trees);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Colours, RectangularTrees,
                         testing::Values(Colours::every_link, Colours::shortest));

TEST(RectangularColours, AreAsManyAsLinksIntoACorner) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.to_string());
    EXPECT_EQ(rectangular_colours(shape, Colours::every_link), links_into_corner(shape));
    EXPECT_LE(rectangular_depth(shape, Colours::shortest),
              rectangular_depth(shape, Colours::every_link));
  }
}

TEST(RectangularColours, InEightDimensions) {
  const Shape mixed({{2, false},
                     {3, true},
                     {2, false},
                     {2, false},
                     {3, true},
                     {2, false},
                     {2, false},
                     {2, false}});
  for (const NodeIndex root : {NodeIndex{0}, mixed.nodes() / 2, mixed.nodes() - 1}) {
    const auto trees = rectangular_trees(mixed, root);
    EXPECT_EQ(trees.size(), 10U);
    expect_edge_disjoint_spanning(mixed, root, rectangular_depth(mixed, Colours::every_link),
                                  trees);
  }
}

TEST(RectangularTreesOf, ForeignRootsAreRefused) {
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

TEST(GroupNodes, AreTheWholeNetworkUnderAnyNumbering) {
  std::vector<int> nodes = first(15);
  std::shuffle(nodes.begin(), nodes.end(), std::mt19937(7));
  const Discovery discovery = discovered(Shape({{3, true}, {5, true}}), nodes);
  const GroupNodes group = nodes_of_group(discovery, first(15));
  ASSERT_TRUE(group.shape);
  EXPECT_EQ(group.shape->nodes(), 15);
  EXPECT_TRUE(group.shape->wraps(0) && group.shape->wraps(1));
  EXPECT_EQ(group.link_bytes_per_second, 1e6);
  for (std::size_t place = 0; place < 15; ++place) {
    ASSERT_EQ(group.ranks_of_node[place].size(), 1U);
    const int rank = group.ranks_of_node[place].front();
    const int node = nodes[static_cast<std::size_t>(rank)];
    EXPECT_EQ(discovery.recognition->place[static_cast<std::size_t>(node)],
              static_cast<NodeIndex>(place));
  }
}

TEST(GroupNodes, LinesAndBoxesThatRunOverTheEndAreShapesToo) {
  const Discovery discovery = discovered(Shape({{5, true}, {4, true}}), first(20));
  const auto node = [&](int x, int y) {
    const Shape& shape = discovery.recognition->shape;
    const std::vector<int> coordinate = {x, y};
    const auto& place = discovery.recognition->place;
    return static_cast<int>(std::find(place.begin(), place.end(), shape.index(coordinate)) -
                            place.begin());
  };
  const std::vector<int> line = {node(2, 0), node(2, 1), node(2, 2), node(2, 3)};
  const GroupNodes ring = nodes_of_group(discovery, line);
  ASSERT_TRUE(ring.shape);
  EXPECT_EQ(ring.shape->nodes(), 4);
  EXPECT_TRUE(ring.shape->wraps(1));

  const std::vector<int> box = {node(4, 1), node(0, 1), node(4, 2), node(0, 2)};
  const GroupNodes over_the_end = nodes_of_group(discovery, box);
  ASSERT_TRUE(over_the_end.shape);
  EXPECT_FALSE(over_the_end.shape->wraps(0));
  EXPECT_EQ(over_the_end.ranks_of_node, (std::vector<std::vector<int>>{{0}, {2}, {1}, {3}}));

  const std::vector<int> scattered = {node(0, 0), node(2, 2)};
  EXPECT_FALSE(nodes_of_group(discovery, scattered).shape);
  EXPECT_EQ(nodes_of_group(discovery, scattered).nodes(), 2);
  const std::vector<int> corner = {node(0, 0), node(0, 1), node(1, 0)};
  EXPECT_FALSE(nodes_of_group(discovery, corner).shape);
}

TEST(GroupNodes, MayHaveSeveralRanksEach) {
  const Discovery discovery = discovered(Shape({{4, true}}), {0, 1, 2, 3, 3, 1, 3});
  const GroupNodes group = nodes_of_group(discovery, first(7));
  ASSERT_TRUE(group.shape);
  EXPECT_EQ(group.nodes(), 4);
  EXPECT_EQ(group.ranks(), 7);
  const std::vector<int> node_of_rank = group.node_of_rank();
  EXPECT_EQ(node_of_rank[1], node_of_rank[5]);
  EXPECT_EQ(node_of_rank[3], node_of_rank[4]);
  EXPECT_EQ(node_of_rank[3], node_of_rank[6]);
  EXPECT_NE(node_of_rank[0], node_of_rank[2]);
}

TEST(GroupNodes, BehindOneSwitchAreNotOneNode) {
  Discovery discovery;
  for (const char* host : {"a", "b", "c"}) discovery.network.add_node(host);
  const int middle = discovery.network.add_node("switch", Role::network_switch);
  for (const int host : {0, 1, 2}) discovery.network.add_cable(host, middle, 1e9);
  discovery.recognition = recognise(discovery.network);
  discovery.node_of_rank = {0, 1, 2, 2};
  const GroupNodes group = nodes_of_group(discovery, first(4));
  EXPECT_EQ(group.ranks_of_node, (std::vector<std::vector<int>>{{0}, {1}, {2, 3}}));
  EXPECT_FALSE(group.shape);
  ASSERT_TRUE(group.network);
  EXPECT_EQ(group.link_bytes_per_second, 1e9);
  // But ranks of one of them are.
  const std::vector<int> of_one = {2, 3};
  EXPECT_EQ(nodes_of_group(discovery, of_one).nodes(), 1);
}

// The torus 4x4 with another rate on one cable, or without it where that is 0; recognised.
Discovery with_odd_cable(int odd, double rate) {
  Discovery discovery;
  const Network regular =
      Network::of_shape(Shape({{4, true}, {4, true}}), std::vector<double>{1e9, 1e9});
  for (int node = 0; node < regular.nodes(); ++node) discovery.network.add_node(regular.name(node));
  for (int cable = 0; cable < regular.cables(); ++cable) {
    const Link& link = regular.links()[static_cast<std::size_t>(2 * cable)];
    if (cable == odd && rate == 0) continue;
    discovery.network.add_cable(link.from, link.to, cable == odd ? rate : 1e9);
  }
  discovery.recognition = recognise(discovery.network);
  discovery.node_of_rank = first(16);
  return discovery;
}

TEST(GroupNodes, HaveNoShapeWhereACableIsSlow) {
  for (const double rate : {1e8, 1e10}) {
    const Discovery discovery = with_odd_cable(5, rate);
    const GroupNodes group = nodes_of_group(discovery, first(16));
    EXPECT_EQ(group.shape.has_value(), rate > 1e9);
    EXPECT_EQ(group.link_bytes_per_second, std::min(rate, 1e9));
  }
}

// Every line, plane and box of the torus keeps its shape but those that have the cable.
TEST(GroupNodes, HaveAShapeWhereADamagedCableIsNotTheirs) {
  for (const double rate : {0.0, 1e8}) {
    for (const int odd : {0, 5, 12, 31}) {
      const Discovery discovery = with_odd_cable(odd, rate);
      const Network regular = Network::of_shape(Shape({{4, true}, {4, true}}));
      const Link& cable = regular.links()[static_cast<std::size_t>(2 * odd)];
      const auto has = [](std::span<const int> nodes, int node) {
        return std::ranges::find(nodes, node) != nodes.end();
      };
      for (int line = 0; line < 4; ++line) {
        const std::vector<int> row = {4 * line, 4 * line + 1, 4 * line + 2, 4 * line + 3};
        const std::vector<int> column = {line, line + 4, line + 8, line + 12};
        for (const auto& nodes : {row, column}) {
          const bool theirs = has(nodes, cable.from) && has(nodes, cable.to);
          EXPECT_EQ(nodes_of_group(discovery, nodes).shape.has_value(), !theirs) << odd;
        }
      }
    }
  }
}

TEST(GroupNodes, KnowTheRatesOfTheirAxes) {
  const auto group_on = [](const std::vector<double>& rates, int ranks = 12) {
    Discovery discovery;
    discovery.network = Network::of_shape(Shape({{4, true}, {3, true}}), rates);
    discovery.recognition = recognise(discovery.network);
    discovery.node_of_rank = first(12);
    return nodes_of_group(discovery, first(ranks));
  };
  const GroupNodes uneven = group_on({2e8, 5e7});
  EXPECT_EQ(uneven.axis_bytes_per_second, (std::vector<double>{2e8, 5e7}));
  EXPECT_EQ(uneven.link_bytes_per_second, 5e7);
  EXPECT_TRUE(group_on({1e8, 1e8}).axis_bytes_per_second.empty());
  const GroupNodes line = group_on({2e8, 5e7}, 3);
  EXPECT_TRUE(line.axis_bytes_per_second.empty());
  EXPECT_EQ(line.link_bytes_per_second, 5e7);
  // What is unknown is as quick as what is known.
  for (const auto& rates : {std::vector<double>{0, 1e8}, std::vector<double>{1e8, 0}}) {
    const GroupNodes group = group_on(rates);
    EXPECT_TRUE(group.axis_bytes_per_second.empty());
    EXPECT_EQ(group.link_bytes_per_second, 1e8);
  }
  EXPECT_EQ(group_on({0, 0}).link_bytes_per_second, 0);
}

TEST(GroupNodes, HaveNoShapeWithoutAllNodesAndCables) {
  const GroupNodes holey = nodes_of_group(discovered(Shape({{5, true}}), {0, 1, 3, 3}), first(4));
  EXPECT_FALSE(holey.shape);
  EXPECT_EQ(holey.ranks_of_node, (std::vector<std::vector<int>>{{0}, {1}, {2, 3}}));

  Discovery damaged = discovered(Shape({{4, true}, {4, true}}), first(16));
  damaged.recognition->missing_cables.push_back({0, 0});
  EXPECT_FALSE(nodes_of_group(damaged, first(16)).shape);

  Discovery unknown;
  unknown.node_of_rank = {0, 1};
  EXPECT_FALSE(nodes_of_group(unknown, first(2)).shape);
  EXPECT_EQ(nodes_of_group(unknown, first(2)).nodes(), 2);
}

}  // namespace rectangular_test
}  // namespace cuboid::detail
