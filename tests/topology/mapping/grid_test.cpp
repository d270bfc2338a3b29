#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>
#include <cuboid/shape.hpp>

#include "tests/topology/shape/shapes.hpp"
#include "topology/mapping/axis_assignments.hpp"
#include "topology/shape/cuboid.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace grid_test {

TEST(Placement, ByNodeAndRoundRobinFillTheMachine) {
  const ShapeSpec network = parse_shape("torus:4x3");
  const Placement by_node = Placement::by_node(network, 2);
  EXPECT_EQ(by_node.ranks(), 24);
  EXPECT_TRUE(by_node.full());
  EXPECT_EQ(by_node.location(3), (Location{1, 1}));
  const Placement round_robin = Placement::round_robin(network, 2);
  EXPECT_TRUE(round_robin.full());
  EXPECT_EQ(round_robin.location(13), (Location{1, 1}));
  for (const Placement& placement : {by_node, round_robin}) {
    for (int rank = 0; rank < placement.ranks(); ++rank) {
      EXPECT_EQ(placement.rank(placement.location(rank)), rank);
    }
    EXPECT_EQ(placement.rank({12, 0}), std::nullopt);
    EXPECT_EQ(placement.rank({0, 2}), std::nullopt);
    EXPECT_THROW(placement.location(24), Error);
  }
  EXPECT_TRUE(Placement::flat(7).full());
}

TEST(Placement, RefusesWhatIsNoPlacement) {
  const ShapeSpec network = parse_shape("mesh:3");
  EXPECT_THROW(Placement(network, {}), Error);
  EXPECT_THROW(Placement(network, {{3, 0}}), Error);
  EXPECT_THROW(Placement(network, {{0, -1}}), Error);
  EXPECT_THROW(Placement(network, {{1, 0}, {1, 0}}), Error);
  EXPECT_THROW(Placement::by_node(network, 0), Error);
  EXPECT_FALSE(Placement(network, {{0, 0}, {1, 0}}).full());
}

void expect_every_place_once(const Grid& grid) {
  std::set<std::pair<NodeIndex, int>> places;
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    EXPECT_EQ(grid.rank(grid.coordinate(rank)), rank);
    const Location location = grid.location(rank);
    EXPECT_EQ(grid.rank_at(location), rank) << grid.to_string();
    places.emplace(location.node, location.slot);
  }
  EXPECT_EQ(std::ssize(places), grid.ranks()) << grid.to_string();
}

/// Whether the nodes of a line are those of a box, found by trying every box.
bool is_box_by_brute_force(const Grid& grid, const std::vector<int>& line) {
  std::set<NodeIndex> nodes;
  for (const int rank : line) nodes.insert(grid.location(rank).node);
  std::vector<int> sizes;
  for (const Axis& axis : grid.shape().axes()) sizes.push_back(axis.extent);
  const Shape choices = Shape::mesh(sizes);
  for (NodeIndex size = 0; size < choices.nodes(); ++size) {
    std::vector<int> extents = choices.coordinate(size);
    for (int& extent : extents) ++extent;
    for (const NodeIndex origin : nodes) {
      try {
        const std::vector<NodeIndex> box =
            Cuboid(grid.shape(), grid.shape().coordinate(origin), extents).node_list();
        if (std::set<NodeIndex>(box.begin(), box.end()) == nodes) return true;
      } catch (const Error&) {
        // Leaves a mesh axis.
      }
    }
  }
  return false;
}

TEST(Grid, EveryDealOfSmallMachinesIsAGrid) {
  int grids = 0;
  for (const char* spec :
       {"torus:4x4", "mesh:6", "torus:4x3,mesh:2", "mesh:2x2x2", "torus:8", "node"}) {
    const Shape shape = parse_shape(spec).shape;
    for (const int slots : {1, 2, 4}) {
      const int ranks = static_cast<int>(shape.nodes()) * slots;
      for (int rows = 1; rows <= ranks; ++rows) {
        if (ranks % rows != 0) continue;
        for (const std::vector<Fold>& deal :
             axis_assignments(shape, slots, std::vector{rows, ranks / rows})) {
          for (const bool snake : {false, true}) {
            std::vector<Fold> folds = deal;
            for (Fold& fold : folds) fold.snake = snake;
            const Grid grid(shape, slots, folds);
            ++grids;
            EXPECT_EQ(grid.extents(), (std::vector{rows, ranks / rows}));
            expect_every_place_once(grid);
            for (const int axis : {0, 1}) {
              EXPECT_EQ(grid.contiguous(axis), is_box_by_brute_force(grid, grid.line(0, axis)))
                  << grid.to_string();
            }
          }
        }
      }
    }
  }
  EXPECT_GT(grids, 300);
}

TEST(Grid, LinesCutTheGridAndDifferInOneCoordinate) {
  const Grid grid = alternating_grid(parse_shape("torus:4x3x2").shape, 2, 0);
  EXPECT_EQ(grid.extents(), (std::vector{16, 3}));
  for (const int axis : {0, 1}) {
    std::multiset<int> ranks;
    for (const int start : grid.line_starts(axis)) {
      const std::vector<int> line = grid.line(start, axis);
      EXPECT_EQ(std::ssize(line), grid.extent(axis));
      for (int i = 0; i < grid.extent(axis); ++i) {
        std::vector<int> expected = grid.coordinate(start);
        expected[static_cast<std::size_t>(axis)] = i;
        EXPECT_EQ(grid.coordinate(line[static_cast<std::size_t>(i)]), expected);
        EXPECT_EQ(grid.line(line[static_cast<std::size_t>(i)], axis), line);
        ranks.insert(line[static_cast<std::size_t>(i)]);
      }
    }
    EXPECT_EQ(std::ssize(ranks), grid.ranks());
    EXPECT_EQ(std::ssize(std::set<int>(ranks.begin(), ranks.end())), grid.ranks());
  }
}

TEST(Grid, SnakeNeighboursAreOneStepApart) {
  const Shape shape = parse_shape("mesh:4x3").shape;
  for (const std::vector<Digit>& digits :
       {std::vector<Digit>{{0, 4, 1}, {1, 3, 1}}, std::vector<Digit>{{1, 3, 1}, {0, 4, 1}},
        std::vector<Digit>{{0, 2, 2}, {1, 3, 1}, {0, 2, 1}}}) {
    const Grid grid(shape, 1, {{digits, true}});
    const bool whole_axes = digits.size() == 2;
    for (int rank = 1; rank < grid.ranks() && whole_axes; ++rank) {
      EXPECT_EQ(shape.distance(grid.location(rank - 1).node, grid.location(rank).node), 1);
    }
    expect_every_place_once(grid);
  }
}

/// Equation of section 2.1 of the SD-Cannon report: (sum of l^i I(2i), sum of l^i I(2i + 1)).
TEST(Grid, AlternatingGridIsSdCannonsEmbedding) {
  const int l = 3;
  const Shape shape = Shape::torus(std::vector{l, l, l, l});
  const Grid grid = alternating_grid(shape, 1, 0);
  for (NodeIndex node = 0; node < shape.nodes(); ++node) {
    const Coordinate at = shape.coordinate(node);
    EXPECT_EQ(grid.coordinate(grid.rank_at({node, 0})),
              (std::vector{at[0] + l * at[2], at[1] + l * at[3]}));
  }
  EXPECT_THROW(alternating_grid(shape, 1, 2), Error);
}

TEST(Grid, RefusesIncompleteFolds) {
  const Shape shape = parse_shape("torus:4x2").shape;
  const Fold first{{{0, 4, 1}}, false};
  const Fold second{{{1, 2, 1}}, false};
  EXPECT_NO_THROW(Grid(shape, 1, {first, second}));
  EXPECT_THROW(Grid(shape, 1, {first}), Error);
  EXPECT_THROW(Grid(shape, 2, {first, second}), Error);
  EXPECT_THROW(Grid(shape, 1, {first, second, second}), Error);
  EXPECT_THROW(Grid(shape, 1, {{{{0, 2, 1}}, false}, second}), Error);
  EXPECT_THROW(Grid(shape, 1, {{{{0, 2, 1}, {0, 2, 1}}, false}, second}), Error);
  EXPECT_THROW(Grid(shape, 1, {{{{0, 2, 1}, {0, 2, 3}}, false}, second}), Error);
  EXPECT_THROW(Grid(shape, 1, {{{{5, 4, 1}}, false}, second}), Error);
  EXPECT_THROW(Grid(shape, 0, {first, second}), Error);
  const Grid grid(shape, 1, {first, second});
  EXPECT_THROW(grid.coordinate(8), Error);
  EXPECT_THROW(grid.rank(std::vector{4, 0}), Error);
  EXPECT_THROW(grid.rank_at({0, 1}), Error);
}

}  // namespace grid_test
}  // namespace cuboid::detail
