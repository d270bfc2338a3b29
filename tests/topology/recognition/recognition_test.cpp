#include <cuboid/error.hpp>
#include <cuboid/recognition.hpp>
#include <cuboid/shape.hpp>

#include "tests/topology/networks.hpp"
#include "tests/topology/shape/shapes.hpp"

#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace recognition_test {

/// Shapes that differ as graphs: axes sorted, none of extent 1.
std::vector<Shape> distinct_shapes(NodeIndex max_nodes, int max_dimensions) {
  std::set<std::string> seen;
  std::vector<Shape> distinct;
  for (const Shape& shape : shapes_up_to(max_nodes, max_dimensions)) {
    std::vector<Axis> axes = shape.axes();
    std::erase_if(axes, [](const Axis& axis) { return axis.extent == 1; });
    std::ranges::sort(axes, {},
                      [](const Axis& axis) { return std::pair(axis.extent, axis.wraps); });
    Shape sorted(std::move(axes));
    if (seen.insert(sorted.to_string()).second) distinct.push_back(std::move(sorted));
  }
  return distinct;
}

bool is_first_along_axes_that_wrap(const Shape& shape, NodeIndex node) {
  const Coordinate coordinate = shape.coordinate(node);
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    if (shape.wraps(axis) && coordinate[static_cast<std::size_t>(axis)] != 0) return false;
  }
  return true;
}

/// Counts the cables between every two nodes of a network after its nodes are renamed to places;
/// written apart from reproduces(), on purpose.
std::map<std::pair<NodeIndex, NodeIndex>, int> cables_between_places(
    const Network& network, const std::vector<NodeIndex>& place) {
  std::map<std::pair<NodeIndex, NodeIndex>, int> cables;
  for (const Link& link : network.links()) {
    ++cables[{place[static_cast<std::size_t>(link.from)],
              place[static_cast<std::size_t>(link.to)]}];
  }
  return cables;
}

/// The network without one node; the nodes behind it move up.
Network without_node(const Network& network, int gone) {
  Network result;
  for (int node = 0; node < network.nodes(); ++node) {
    if (node != gone) result.add_node(network.name(node));
  }
  for (int cable = 0; cable < network.cables(); ++cable) {
    const Link& link = network.links()[2 * static_cast<std::size_t>(cable)];
    if (link.from == gone || link.to == gone) continue;
    result.add_cable(link.from - (link.from > gone ? 1 : 0), link.to - (link.to > gone ? 1 : 0));
  }
  return result;
}

void expect_exact(const Network& network, const Recognition& found) {
  std::vector<NodeIndex> identity(static_cast<std::size_t>(found.shape.nodes()));
  std::iota(identity.begin(), identity.end(), 0);
  EXPECT_TRUE(found.whole);
  EXPECT_TRUE(found.missing_nodes.empty());
  EXPECT_TRUE(found.missing_cables.empty());
  EXPECT_EQ(cables_between_places(network, found.place),
            cables_between_places(Network::of_shape(found.shape), identity));
}

TEST(Recognise, EveryShapeUpTo64NodesInEveryOrder) {
  for (const Shape& shape : distinct_shapes(64, 4)) {
    const Network built = Network::of_shape(shape);
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(shape.to_string());
      const Network network = scrambled(built, seed);
      const Recognition found = recognise(network);
      EXPECT_EQ(sorted_axes(found.shape.axes()), canonical(shape));
      expect_exact(network, found);
      if (HasFailure()) return;
    }
  }
}

TEST(Recognise, ManyAxes) {
  for (const char* spec :
       {"hypercube:5", "hypercube:6", "hypercube:8", "torus:2x2x2x2x2x2x2x2", "torus:3x3x3x3x3",
        "mesh:3x3x3x3x3", "torus:4x4x4,mesh:2x3", "torus:3x2x4,mesh:2x2x2", "mesh:2x3x2x3x2x3"}) {
    SCOPED_TRACE(spec);
    const Shape shape = parse_shape(spec).shape;
    const Network network = scrambled(Network::of_shape(shape), 5);
    const Recognition found = recognise(network);
    EXPECT_EQ(sorted_axes(found.shape.axes()), canonical(shape));
    expect_exact(network, found);
  }
}

TEST(Recognise, NetworksNumberedRowByRowKeepTheirCoordinates) {
  for (const char* spec :
       {"torus:4x4", "torus:8x4x4", "mesh:5x3", "torus:5x5x5", "torus:4x4x4", "torus:6x4,mesh:3x2",
        "torus:3x5", "mesh:3x5", "torus:2x3x5", "mesh:3,torus:5", "mesh:2,torus:4x3", "torus:3x4x5",
        "torus:4x16", "mesh:2x3x4"}) {
    const Shape shape = parse_shape(spec).shape;
    const Recognition found = recognise(Network::of_shape(shape));
    EXPECT_EQ(found.shape, shape);
    std::vector<NodeIndex> identity(static_cast<std::size_t>(shape.nodes()));
    std::iota(identity.begin(), identity.end(), 0);
    EXPECT_EQ(found.place, identity) << spec;
  }
}

TEST(Recognise, DamagedNetworksKeepTheOrderOfTheirAxes) {
  for (const char* spec : {"torus:3x5", "mesh:3x5", "torus:3x4x5", "mesh:4,torus:6"}) {
    const Shape shape = parse_shape(spec).shape;
    const Network built = Network::of_shape(shape);
    for (int gone = 0; gone < built.nodes(); ++gone) {
      const Recognition found = recognise(without_node(built, gone));
      EXPECT_EQ(found.shape, shape) << spec << " without " << built.name(gone);
      EXPECT_EQ(found.missing_nodes.size(), 1U) << spec << " without " << built.name(gone);
    }
  }
}

TEST(Recognise, NumbersWithoutAnOrderGiveWrappingAndLongAxesFirst) {
  const Shape shape = parse_shape("mesh:3,torus:5x7").shape;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Recognition found = recognise(scrambled(Network::of_shape(shape), seed));
    EXPECT_EQ(found.shape.to_string(), "torus:7x5,mesh:3");
  }
}

/// Whether the graph of a shape without one cable is the graph of another shape, or of another
/// shape without one cable, is asked of the recogniser itself only through its certificate: no more
/// may be missing than was cut. Cables that differ by a shift along axes that wrap look the same:
/// one of them is cut.
TEST(Recognise, EveryShapeUpTo64NodesLessAnyOneCable) {
  for (const Shape& shape : distinct_shapes(64, 4)) {
    if (shape.cables() < 7) continue;
    const Network built = Network::of_shape(shape);
    for (int cable = 0; cable < built.cables(); ++cable) {
      const Link& cut = built.links()[2 * static_cast<std::size_t>(cable)];
      if (!is_first_along_axes_that_wrap(shape, cut.from)) continue;
      const Network network = scrambled(built, static_cast<unsigned>(cable), {{cable}, {}});
      const Recognition found = recognise(network);
      SCOPED_TRACE(shape.to_string() + " cut " + built.name(cut.from) + " - " + built.name(cut.to));
      if (shape.dimensions() == 1 && !shape.wraps(0)) continue;  // falls into two parts
      EXPECT_TRUE(found.whole);
      EXPECT_LE(found.missing_cables.size() + found.missing_nodes.size(), 1U);
      EXPECT_TRUE(reproduces(network, found));
      if (HasFailure()) return;
    }
  }
}

/// Every cable removed names itself: the damage reported is the cut that was made, or one that
/// looks the same.
TEST(Recognise, NamesTheCableThatWasCut) {
  const Shape shape = parse_shape("torus:5x5").shape;
  const Network built = Network::of_shape(shape);
  for (int cable = 0; cable < built.cables(); ++cable) {
    const Link& cut = built.links()[2 * static_cast<std::size_t>(cable)];
    // Not scrambled: the coordinates are those of the names, up to a symmetry that keeps distances.
    Network network;
    for (int node = 0; node < built.nodes(); ++node) network.add_node(built.name(node));
    for (int other = 0; other < built.cables(); ++other) {
      const Link& link = built.links()[2 * static_cast<std::size_t>(other)];
      if (other != cable) network.add_cable(link.from, link.to);
    }
    const Recognition found = recognise(network);
    EXPECT_EQ(found.explanation(), "torus:5x5 less 1 cable");
    ASSERT_EQ(found.missing_cables.size(), 1U);
    const auto [from, axis] = found.missing_cables.front();
    const std::set<NodeIndex> reported{from, found.shape.neighbour(from, axis, +1)};
    const std::set<NodeIndex> expected{found.place[static_cast<std::size_t>(cut.from)],
                                       found.place[static_cast<std::size_t>(cut.to)]};
    EXPECT_EQ(reported, expected);
  }
}

TEST(Recognise, MissingNodes) {
  for (const char* spec :
       {"torus:4x4", "torus:5x3", "mesh:4x4", "torus:3x3x3", "mesh:3x3x3", "torus:4x3,mesh:2"}) {
    const Shape shape = parse_shape(spec).shape;
    const Network built = Network::of_shape(shape);
    for (int node = 0; node < built.nodes(); ++node) {
      const Recognition found =
          recognise(scrambled(built, static_cast<unsigned>(node), {{}, {node}}));
      EXPECT_EQ(sorted_axes(found.shape.axes()), canonical(shape))
          << spec << " " << built.name(node);
      EXPECT_EQ(found.explanation(), found.shape.to_string() + " less 1 node");
    }
  }
}

TEST(Recognise, LargerShapesWithMuchDamage) {
  std::mt19937 random(3);
  for (const char* spec : {"torus:8x8x8", "mesh:9x8x7", "torus:16x16", "torus:12x5,mesh:6"}) {
    const Shape shape = parse_shape(spec).shape;
    const Network built = Network::of_shape(shape);
    for (unsigned seed = 0; seed < 10; ++seed) {
      Cut cut;
      while (cut.cables.size() < 4)
        cut.cables.insert(static_cast<int>(random() % static_cast<unsigned>(built.cables())));
      while (cut.nodes.size() < 2)
        cut.nodes.insert(static_cast<int>(random() % static_cast<unsigned>(built.nodes())));
      const Recognition found = recognise(scrambled(built, seed, cut));
      EXPECT_EQ(sorted_axes(found.shape.axes()), canonical(shape)) << spec << " " << seed;
      EXPECT_EQ(found.missing_nodes.size(), 2U) << spec << " " << seed;
    }
  }
}

TEST(Recognise, ANodeWithAllCablesDeadIsInTheHole) {
  const Shape shape = parse_shape("torus:4x4").shape;
  const Network built = Network::of_shape(shape);
  Cut cut;
  for (const int link : built.links_from(5)) cut.cables.insert(link / 2);
  const Recognition found = recognise(scrambled(built, 1, cut));
  EXPECT_EQ(found.explanation(), "torus:4x4 less 4 cables");
}

TEST(Recognise, RatesPerAxis) {
  for (const char* text : {"torus:5x4@100mbit/50mbit", "mesh:4x3@1/2", "torus:4@8,mesh:2@4",
                           "torus:4x4@1/2", "torus:4x4x4@3/2/1"}) {
    const ShapeSpec spec = parse_shape(text);
    const Network network = scrambled(Network::of_shape(spec.shape, spec.bytes_per_second), 3);
    const Recognition found = recognise(network);
    std::multiset<std::tuple<int, bool, double>> expected;
    std::multiset<std::tuple<int, bool, double>> actual;
    for (std::size_t axis = 0; axis < spec.bytes_per_second.size(); ++axis) {
      expected.emplace(spec.shape.axes()[axis].extent, spec.shape.axes()[axis].wraps,
                       spec.bytes_per_second[axis]);
      actual.emplace(found.shape.axes()[axis].extent, found.shape.axes()[axis].wraps,
                     found.bytes_per_second[axis]);
    }
    EXPECT_EQ(actual, expected) << text;
    EXPECT_TRUE(found.off_rate_cables.empty());
  }
}

TEST(Recognise, RatesTellAxesOfExtent2FromARingOf4) {
  const auto shape_at = [](const std::vector<double>& rates) {
    return recognise(
               scrambled(Network::of_shape(Shape::hypercube(static_cast<int>(rates.size())), rates),
                         2))
        .shape.to_string();
  };
  EXPECT_EQ(shape_at({1, 1}), "torus:4");
  EXPECT_EQ(shape_at({1, 2}), "mesh:2x2");
  EXPECT_EQ(shape_at({1, 2, 1}), "torus:4,mesh:2");
  EXPECT_EQ(shape_at({1, 2, 1, 2}), "torus:4x4");
  EXPECT_EQ(shape_at({1, 2, 3}), "mesh:2x2x2");
}

TEST(Recognise, OneSlowCableIsNamed) {
  const Network built =
      Network::of_shape(parse_shape("torus:4x3").shape, std::vector{100.0, 100.0});
  Network network;
  for (int node = 0; node < built.nodes(); ++node) network.add_node(built.name(node));
  for (int cable = 0; cable < built.cables(); ++cable) {
    const Link& link = built.links()[2 * static_cast<std::size_t>(cable)];
    network.add_cable(link.from, link.to, cable == 7 ? 20 : 100);
  }
  const Recognition found = recognise(network);
  EXPECT_EQ(found.shape.to_string(), "torus:4x3");
  EXPECT_EQ(found.bytes_per_second, (std::vector{100.0, 100.0}));
  EXPECT_EQ(found.off_rate_cables.size(), 1U);
}

TEST(Recognise, ParallelCables) {
  Network network;
  const Network built =
      Network::of_shape(parse_shape("torus:5,mesh:2").shape, std::vector{10.0, 10.0});
  for (int node = 0; node < built.nodes(); ++node) network.add_node(built.name(node));
  for (const Link& link : built.links())
    network.add_cable(link.from, link.to, link.bytes_per_second);
  const Recognition found = recognise(network);
  EXPECT_TRUE(found.whole);
  EXPECT_EQ(found.shape.to_string(), "torus:5,mesh:2");
  EXPECT_EQ(found.parallel_cables, (std::vector{2, 2}));
  EXPECT_EQ(found.bytes_per_second, (std::vector{20.0, 20.0}));
}

/// A shape of switches with hosts hanging off each.
Network with_hosts(const Shape& shape, int hosts) {
  Network network;
  for (NodeIndex node = 0; node < shape.nodes(); ++node)
    network.add_node("s" + std::to_string(node), Role::network_switch);
  const Network built = Network::of_shape(shape);
  for (int cable = 0; cable < built.cables(); ++cable) {
    const Link& link = built.links()[2 * static_cast<std::size_t>(cable)];
    network.add_cable(link.from, link.to);
  }
  for (NodeIndex node = 0; node < shape.nodes(); ++node) {
    for (int host = 0; host < hosts; ++host) {
      const int number = network.add_node("h" + std::to_string(node) + "." + std::to_string(host));
      network.add_cable(number, static_cast<int>(node));
    }
  }
  return network;
}

TEST(Recognise, HostsAreWhereTheirSwitchIs) {
  for (const char* spec : {"torus:4x4x4", "mesh:3x5", "torus:3", "node"}) {
    for (const int hosts : {1, 2, 5}) {
      const Shape shape = parse_shape(spec).shape;
      const Network network = scrambled(with_hosts(shape, hosts), 4);
      const Recognition found = recognise(network);
      EXPECT_TRUE(found.whole) << found.explanation();
      EXPECT_TRUE(found.through_switches);
      EXPECT_EQ(sorted_axes(found.shape.axes()), canonical(shape));
      for (const Link& link : network.links()) {
        if (network.role(link.from) == network.role(link.to)) continue;
        EXPECT_EQ(found.place[static_cast<std::size_t>(link.from)],
                  found.place[static_cast<std::size_t>(link.to)]);
      }
    }
  }
}

TEST(Recognise, ASingleNode) {
  Network network;
  EXPECT_THROW(recognise(network), Error);
  network.add_node("alone");
  EXPECT_EQ(recognise(network).explanation(), "node");
  EXPECT_TRUE(recognise(network).whole);
  network.add_node("another");
  EXPECT_FALSE(recognise(network).whole);
}

/// A network from pairs of nodes.
Network from_edges(int nodes, const std::vector<std::pair<int, int>>& edges) {
  Network network;
  for (int node = 0; node < nodes; ++node) network.add_node("n" + std::to_string(node));
  for (const auto& [a, b] : edges) network.add_cable(a, b);
  return network;
}

/// Whether a simple graph is exactly a shape's: all ways to name its nodes are tried.
bool is_shape_by_brute_force(const Network& network, const Shape& shape) {
  if (network.nodes() != shape.nodes() || network.cables() != shape.cables()) return false;
  std::vector<NodeIndex> place(static_cast<std::size_t>(network.nodes()));
  std::iota(place.begin(), place.end(), 0);
  do {
    const bool all_neighbours = std::ranges::all_of(network.links(), [&](const Link& link) {
      return shape.distance(place[static_cast<std::size_t>(link.from)],
                            place[static_cast<std::size_t>(link.to)]) == 1;
    });
    if (all_neighbours) return true;
  } while (std::ranges::next_permutation(place).found);
  return false;
}

void expect_as_by_brute_force(int nodes, const std::vector<std::pair<int, int>>& edges,
                              const std::vector<Shape>& shapes) {
  const Network network = from_edges(nodes, edges);
  const Recognition found = recognise(network);
  const bool exact = found.whole && found.missing_cables.empty() && found.missing_nodes.empty();
  const bool expected = std::ranges::any_of(
      shapes, [&](const Shape& shape) { return is_shape_by_brute_force(network, shape); });
  EXPECT_EQ(exact, expected) << found.explanation() << ": " << ::testing::PrintToString(edges);
  EXPECT_TRUE(reproduces(network, found));
}

TEST(Recognise, AllGraphsOf5NodesAsByBruteForce) {
  for (int nodes = 2; nodes <= 5; ++nodes) {
    std::vector<Shape> shapes;
    for (const Shape& shape : distinct_shapes(nodes, 3)) {
      // Double cables are no simple graph.
      if (std::ranges::find(shape.axes(), Axis{2, true}) == shape.axes().end())
        shapes.push_back(shape);
    }
    const int pairs = nodes * (nodes - 1) / 2;
    for (unsigned bits = 0; bits < 1U << pairs; ++bits) {
      std::vector<std::pair<int, int>> edges;
      unsigned bit = 1;
      for (int a = 0; a < nodes; ++a) {
        for (int b = a + 1; b < nodes; ++b, bit *= 2) {
          if ((bits & bit) != 0) edges.emplace_back(a, b);
        }
      }
      expect_as_by_brute_force(nodes, edges, shapes);
      if (HasFailure()) return;
    }
  }
}

TEST(Recognise, ShapesWithOneEdgeMovedAsByBruteForce) {
  std::mt19937 random(9);
  for (const char* spec :
       {"mesh:2x3", "mesh:2x4", "hypercube:3", "torus:3,mesh:2", "torus:6", "torus:7", "mesh:8"}) {
    const Network built = Network::of_shape(parse_shape(spec).shape);
    std::vector<Shape> shapes;
    for (const Shape& shape : distinct_shapes(8, 3)) {
      if (std::ranges::find(shape.axes(), Axis{2, true}) == shape.axes().end())
        shapes.push_back(shape);
    }
    for (int trial = 0; trial < 20; ++trial) {
      std::set<std::pair<int, int>> edges;
      for (int cable = 0; cable < built.cables(); ++cable) {
        const Link& link = built.links()[2 * static_cast<std::size_t>(cable)];
        edges.emplace(std::min(link.from, link.to), std::max(link.from, link.to));
      }
      edges.erase(std::next(edges.begin(), static_cast<std::ptrdiff_t>(random() % edges.size())));
      const std::size_t wanted = edges.size() + 1;
      while (edges.size() < wanted) {
        const int a = static_cast<int>(random() % static_cast<unsigned>(built.nodes()));
        const int b = static_cast<int>(random() % static_cast<unsigned>(built.nodes()));
        if (a < b) edges.emplace(a, b);
      }
      expect_as_by_brute_force(built.nodes(), {edges.begin(), edges.end()}, shapes);
    }
  }
}

TEST(Recognise, RandomGraphsAreNoCuboids) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const int nodes = 12 + static_cast<int>(random() % 60);
    const int edges = nodes * (3 + static_cast<int>(random() % 4)) / 2;
    std::set<std::pair<int, int>> chosen;
    // A random tree keeps it in one piece.
    for (int node = 1; node < nodes; ++node)
      chosen.emplace(static_cast<int>(random() % static_cast<unsigned>(node)), node);
    while (std::ssize(chosen) < edges) {
      const int a = static_cast<int>(random() % static_cast<unsigned>(nodes));
      const int b = static_cast<int>(random() % static_cast<unsigned>(nodes));
      if (a < b) chosen.emplace(a, b);
    }
    const Network network = from_edges(nodes, {chosen.begin(), chosen.end()});
    const Recognition found = recognise(network);
    EXPECT_FALSE(found.whole) << found.explanation();
    EXPECT_TRUE(reproduces(network, found));
  }
}

TEST(Recognise, TwistedTorusIsNoTorus) {
  // A 4 x 6 torus whose rows come round shifted by two.
  std::vector<std::pair<int, int>> edges;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 6; ++column) {
      edges.emplace_back(row * 6 + column, row * 6 + (column + 1) % 6);
      edges.emplace_back(row * 6 + column, row < 3 ? (row + 1) * 6 + column : (column + 2) % 6);
    }
  }
  const Recognition found = recognise(from_edges(24, edges));
  EXPECT_FALSE(found.whole) << found.explanation();
  EXPECT_GE(found.shape.nodes(), 12);
}

TEST(Recognise, LargestCuboidInsideAndWhatIsLeftOver) {
  // A 4 x 4 torus with a tail of three nodes and a shortcut.
  const Network torus = Network::of_shape(parse_shape("torus:4x4").shape);
  std::vector<std::pair<int, int>> edges{{0, 16}, {16, 17}, {17, 18}, {0, 10}};
  for (int cable = 0; cable < torus.cables(); ++cable) {
    const Link& link = torus.links()[2 * static_cast<std::size_t>(cable)];
    edges.emplace_back(link.from, link.to);
  }
  const Network network = scrambled(from_edges(19, edges), 6);
  const Recognition found = recognise(network);
  EXPECT_EQ(found.explanation(),
            "not a cuboid; the largest cuboid found inside is torus:4x4; left over: 3 nodes and 4 "
            "cables");
  EXPECT_EQ(found.left_over_nodes.size(), 3U);
  EXPECT_EQ(found.left_over_cables.size(), 4U);
}

TEST(Recognise, FatTreeIsNoCuboid) {
  Network network;
  for (int s = 0; s < 6; ++s) network.add_node("switch" + std::to_string(s), Role::network_switch);
  for (int leaf = 2; leaf < 6; ++leaf) {
    network.add_cable(0, leaf);
    network.add_cable(1, leaf);
    for (int host = 0; host < 4; ++host) {
      network.add_cable(leaf, network.add_node("h" + std::to_string(network.nodes())));
    }
  }
  const Recognition found = recognise(network);
  EXPECT_FALSE(found.whole);
  EXPECT_TRUE(reproduces(network, found));
}

TEST(Reproduces, NoticesAWrongAnswer) {
  const Network network = Network::of_shape(parse_shape("torus:4x3").shape);
  const Recognition right = recognise(network);
  ASSERT_TRUE(reproduces(network, right));
  Recognition wrong = right;
  std::swap(wrong.place[0], wrong.place[1]);
  EXPECT_FALSE(reproduces(network, wrong));
  wrong = right;
  wrong.place[0] = wrong.place[1];
  EXPECT_FALSE(reproduces(network, wrong));
  wrong = right;
  wrong.missing_cables.push_back({0, 0});
  EXPECT_FALSE(reproduces(network, wrong));
  wrong = right;
  wrong.left_over_cables.push_back(0);
  EXPECT_FALSE(reproduces(network, wrong));
  wrong = right;
  wrong.shape = parse_shape("torus:4,mesh:3").shape;
  EXPECT_FALSE(reproduces(network, wrong));
  wrong = right;
  wrong.parallel_cables = {2, 1};
  EXPECT_FALSE(reproduces(network, wrong));
}

}  // namespace recognition_test
}  // namespace cuboid::detail
