#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>
#include <cuboid/shape.hpp>

#include "tests/topology/shape/shapes.hpp"
#include "topology/mapping/axis_assignments.hpp"
#include "topology/network/routing.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {

void PrintTo(const PatternLoad& load, std::ostream* out) {
  *out << "dilation " << load.dilation << ", worst link " << load.worst_link;
}

namespace mapping_test {

TEST(Routing, RoutesAreShortestAndInOrderOfAxes) {
  for (const Shape& shape : shapes_up_to(24, 3)) {
    for (NodeIndex from = 0; from < shape.nodes(); ++from) {
      for (NodeIndex to = 0; to < shape.nodes(); ++to) {
        std::vector<Hop> hops;
        append_route(shape, from, to, hops);
        EXPECT_EQ(std::ssize(hops), shape.distance(from, to)) << shape.to_string();
        NodeIndex at = from;
        for (const Hop& hop : hops) {
          EXPECT_EQ(hop.from, at);
          at = shape.neighbour(at, hop.axis, hop.direction);
        }
        EXPECT_EQ(at, to);
        EXPECT_TRUE(std::ranges::is_sorted(hops, {}, &Hop::axis));
      }
    }
  }
}

TEST(Routing, EveryLinkHasItsNumber) {
  const Shape shape = parse_shape("torus:4x3,mesh:2").shape;
  std::set<NodeIndex> numbers;
  for (NodeIndex node = 0; node < shape.nodes(); ++node) {
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      for (const int direction : {+1, -1})
        numbers.insert(link_number(shape, {node, axis, direction}));
    }
  }
  EXPECT_EQ(std::ssize(numbers), shape.nodes() * shape.dimensions() * 2);
  EXPECT_EQ(*numbers.rbegin(), std::ssize(numbers) - 1);
}

Mapping map(const char* network, int slots, const std::vector<int>& extents,
            Pattern pattern = Pattern::broadcast) {
  return best_mapping(Placement::by_node(parse_shape(network), slots), extents, pattern);
}

TEST(Congestion, AxesOfATorusAsTheyAre) {
  const Mapping mapping = map("torus:4x4", 1, {4, 4});
  for (const AxisLoad& load : mapping.load) {
    EXPECT_EQ(load.shift, (PatternLoad{1, 1}));
    EXPECT_EQ(load.broadcast, (PatternLoad{2, 1}));
    EXPECT_TRUE(load.contiguous);
  }
  EXPECT_EQ(mapping.cost, 8);
}

TEST(Congestion, AMeshLineComesBackOverItself) {
  // 0 -> 1 -> 2 -> 3 and 3 -> 0: each link once, each way; the last message crosses three links.
  const Mapping mapping = map("mesh:4", 1, {4});
  EXPECT_EQ(mapping.load[0].shift, (PatternLoad{3, 1}));
  EXPECT_EQ(mapping.load[0].broadcast, (PatternLoad{3, 1}));
}

TEST(Congestion, CoresBesideALineShareItsLinks) {
  const Shape shape = parse_shape("torus:4").shape;
  const Grid grid(shape, 3, {{{{0, 4, 1}}, false}, {{{1, 3, 1}}, false}});
  EXPECT_EQ(broadcast_load(grid, 0).worst_link, 3);
  EXPECT_EQ(shift_load(grid, 0).worst_link, 3);
  EXPECT_EQ(broadcast_load(grid, 1), (PatternLoad{0, 0}));
  EXPECT_EQ(shift_load(grid, 1), (PatternLoad{0, 0}));
}

TEST(Congestion, SlowLinksCountMore) {
  const ShapeSpec network = parse_shape("torus:4x4@100mbit/25mbit");
  const Grid grid(network.shape, 1, {{{{0, 4, 1}}, false}, {{{1, 4, 1}}, false}});
  EXPECT_EQ(shift_load(grid, 0, network.bytes_per_second).worst_link, 1);
  EXPECT_EQ(shift_load(grid, 1, network.bytes_per_second).worst_link, 4);
  EXPECT_THROW(shift_load(grid, 0, std::vector{1.0}), Error);
}

/// The loads as they are defined, message by message over the whole machine.
PatternLoad load_by_definition(const Grid& grid, int axis, Pattern pattern) {
  const Shape& shape = grid.shape();
  std::map<NodeIndex, int> messages;
  PatternLoad load;
  const auto send = [&](int from, int to, std::set<NodeIndex>& tree) {
    std::vector<Hop> hops;
    append_route(shape, grid.location(from).node, grid.location(to).node, hops);
    load.dilation = std::max(load.dilation, static_cast<int>(hops.size()));
    for (const Hop& hop : hops) tree.insert(link_number(shape, hop));
  };
  const auto count = [&](const std::set<NodeIndex>& links) {
    for (const NodeIndex link : links)
      load.worst_link = std::max(load.worst_link, 1.0 * ++messages[link]);
  };
  for (const int root : grid.line_starts(axis)) {
    const std::vector<int> line = grid.line(root, axis);
    std::set<NodeIndex> tree;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (pattern == Pattern::broadcast) {
        send(root, line[i], tree);
      } else {
        std::set<NodeIndex> route;
        send(line[i], line[(i + 1) % line.size()], route);
        count(route);
      }
    }
    count(tree);
  }
  return load;
}

TEST(Congestion, IsAsDefined) {
  for (const char* spec :
       {"torus:4x4", "mesh:6", "torus:4x3,mesh:2", "torus:8,mesh:2", "torus:5x2", "node"}) {
    const Shape shape = parse_shape(spec).shape;
    for (const int slots : {1, 4}) {
      const int ranks = static_cast<int>(shape.nodes()) * slots;
      for (int rows = 1; rows <= ranks; ++rows) {
        if (ranks % rows != 0) continue;
        for (const std::vector<Fold>& deal :
             axis_assignments(shape, slots, std::vector{rows, ranks / rows})) {
          for (const bool snake : {false, true}) {
            std::vector<Fold> folds = deal;
            for (Fold& fold : folds) fold.snake = snake;
            const Grid grid(shape, slots, folds);
            for (const int axis : {0, 1}) {
              EXPECT_EQ(shift_load(grid, axis), load_by_definition(grid, axis, Pattern::shift))
                  << grid.to_string();
              EXPECT_EQ(broadcast_load(grid, axis),
                        load_by_definition(grid, axis, Pattern::broadcast))
                  << grid.to_string();
            }
          }
        }
      }
    }
  }
}

TEST(Mapping, BlueGenePartitionOfThe25dPaper) {
  // 2048 nodes 8 x 8 x 32 with 4 cores in one of the short axes: the 32 x 32 x 8 grid has
  // contiguous lines (section 3.2).
  const Placement placement = Placement::by_node(parse_shape("torus:8x8x32"), 4);
  const Mapping mapping = choose_grid_25d(placement, 8);
  EXPECT_EQ(mapping.grid.extents(), (std::vector{32, 32, 8}));
  for (const AxisLoad& load : mapping.load) EXPECT_TRUE(load.contiguous);
}

TEST(Mapping, WholeAxesAreTakenWhereTheyFit) {
  const Mapping mapping = map("torus:4x4x4", 1, {16, 4});
  for (const AxisLoad& load : mapping.load) {
    EXPECT_TRUE(load.contiguous);
    EXPECT_EQ(load.broadcast.worst_link, 1);
  }
}

TEST(Mapping, AnAxisIsCutWhereNothingElseFits) {
  const Mapping mapping = map("torus:16", 1, {4, 4});
  EXPECT_EQ(mapping.grid.extents(), (std::vector{4, 4}));
  EXPECT_NE(mapping.load[0].contiguous, mapping.load[1].contiguous);
  EXPECT_GT(mapping.load[0].broadcast.worst_link + mapping.load[1].broadcast.worst_link, 2);
}

TEST(Mapping, SnakeMakesALineOfAPlane) {
  const Mapping mapping = map("torus:4x4", 1, {16}, Pattern::shift);
  EXPECT_EQ(mapping.load[0].shift, (PatternLoad{1, 1}));
  EXPECT_TRUE(mapping.grid.folds()[0].snake);
}

/// Every grid of two axes made of whole physical axes, in every order, plain and snake.
std::vector<Grid> whole_axis_grids(const Placement& placement) {
  const Shape& shape = placement.shape();
  const int axes = shape.dimensions() + 1;
  std::vector<Grid> grids;
  for (unsigned into = 0; into < 1U << axes; ++into) {
    std::vector<int> order(static_cast<std::size_t>(axes));
    std::iota(order.begin(), order.end(), 0);
    do {
      for (unsigned snakes = 0; snakes < 4; ++snakes) {
        std::vector<Fold> folds(2);
        for (const int axis : order) {
          const int extent = axis == shape.dimensions() ? placement.slots() : shape.extent(axis);
          folds[into >> axis & 1U].digits.push_back({axis, extent, 1});
        }
        folds[0].snake = (snakes & 1U) != 0;
        folds[1].snake = (snakes & 2U) != 0;
        grids.emplace_back(shape, placement.slots(), std::move(folds));
      }
    } while (std::ranges::next_permutation(order).found);
  }
  return grids;
}

double cost_of(const Grid& grid, Pattern pattern) {
  double cost = 0;
  for (int axis = 0; axis < grid.dimensions(); ++axis) {
    const PatternLoad load =
        pattern == Pattern::shift ? shift_load(grid, axis) : broadcast_load(grid, axis);
    cost += grid.extent(axis) * load.worst_link;
  }
  return cost;
}

TEST(Mapping, IsTheBestOfAllWholeAxisFoldings) {
  for (const char* spec : {"torus:4x3,mesh:2", "mesh:2x3x4", "torus:4x4x2"}) {
    for (const int slots : {1, 2}) {
      const Placement placement = Placement::by_node(parse_shape(spec), slots);
      for (const Pattern pattern : {Pattern::broadcast, Pattern::shift}) {
        std::map<std::vector<int>, double> least;
        for (const Grid& grid : whole_axis_grids(placement)) {
          const auto known = least.try_emplace(grid.extents(), cost_of(grid, pattern)).first;
          known->second = std::min(known->second, cost_of(grid, pattern));
        }
        for (const auto& [extents, cost] : least) {
          EXPECT_LE(best_mapping(placement, extents, pattern).cost, cost) << spec << " " << slots;
        }
      }
    }
  }
}

TEST(Mapping, ReportsTheLoadsOfItsGrid) {
  for (const char* spec :
       {"torus:4x4", "mesh:6", "torus:4x3,mesh:2", "torus:8@10", "torus:4x4@10/5"}) {
    for (const int slots : {1, 2, 3}) {
      const Placement placement = Placement::by_node(parse_shape(spec), slots);
      const Mapping mapping = choose_grid_2d(placement);
      double cost = 0;
      for (int axis = 0; axis < 2; ++axis) {
        const AxisLoad& load = mapping.load[static_cast<std::size_t>(axis)];
        EXPECT_EQ(load.shift, shift_load(mapping.grid, axis, placement.bytes_per_second()));
        EXPECT_EQ(load.broadcast, broadcast_load(mapping.grid, axis, placement.bytes_per_second()));
        EXPECT_EQ(load.contiguous, mapping.grid.contiguous(axis));
        cost += mapping.grid.extent(axis) * load.broadcast.worst_link;
      }
      EXPECT_DOUBLE_EQ(mapping.cost, cost) << mapping.grid.to_string();
    }
  }
}

TEST(ChooseGrid, SquareOnSquareMachines) {
  EXPECT_EQ(choose_grid_2d(Placement::by_node(parse_shape("torus:8x8"), 1)).grid.extents(),
            (std::vector{8, 8}));
  EXPECT_EQ(choose_grid_2d(Placement::by_node(parse_shape("torus:4x4x4x4"), 1)).grid.extents(),
            (std::vector{16, 16}));
  EXPECT_EQ(choose_grid_2d(Placement::flat(12)).grid.extents(), (std::vector{3, 4}));
  EXPECT_EQ(choose_grid_2d(Placement::flat(7)).grid.extents(), (std::vector{1, 7}));
  EXPECT_EQ(choose_grid_2d(Placement::flat(1)).grid.extents(), (std::vector{1, 1}));
}

TEST(ChooseGrid, LayersAreTheWantedOnes) {
  const Placement placement = Placement::by_node(parse_shape("torus:4x4x4"), 1);
  const Mapping mapping = choose_grid_25d(placement, 4);
  EXPECT_EQ(mapping.grid.extents(), (std::vector{4, 4, 4}));
  EXPECT_EQ(mapping.cost, 4 + 4 + 12);
  EXPECT_EQ(choose_grid_25d(placement, 1).grid.extent(2), 1);
  EXPECT_THROW(choose_grid_25d(placement, 3), Error);
  EXPECT_THROW(choose_grid_25d(placement, 0), Error);
}

TEST(Mapping, RefusesWhatDoesNotFit) {
  const Placement placement = Placement::by_node(parse_shape("torus:4"), 1);
  EXPECT_THROW(best_mapping(placement, std::vector{3}), Error);
  EXPECT_THROW(best_mapping(placement, std::vector{4, 0}), Error);
  EXPECT_THROW(best_mapping(placement, std::vector{-2, -2}), Error);
  EXPECT_THROW(best_mapping(placement, std::vector{4, 1}, Pattern::shift, std::vector{1.0}), Error);
  const Placement partial(parse_shape("torus:4"), {{0, 0}, {1, 0}});
  EXPECT_THROW(choose_grid_2d(partial), Error);
  EXPECT_THROW(choose_grid_25d(partial, 1), Error);
}

TEST(Reorder, RealisesTheGridFromAnyPlacement) {
  const ShapeSpec network = parse_shape("torus:4x3");
  const Placement ordered = Placement::by_node(network, 2);
  const Grid grid = choose_grid_2d(ordered).grid;
  std::vector<Location> locations;
  for (int rank = 0; rank < ordered.ranks(); ++rank) locations.push_back(ordered.location(rank));
  std::mt19937 random(5);
  for (int trial = 0; trial < 10; ++trial) {
    const Placement placement(network, locations);
    const std::vector<int> new_rank = reorder(placement, grid);
    std::vector<int> sorted = new_rank;
    std::ranges::sort(sorted);
    for (int rank = 0; rank < placement.ranks(); ++rank) {
      EXPECT_EQ(sorted[static_cast<std::size_t>(rank)], rank);
      EXPECT_EQ(grid.location(new_rank[static_cast<std::size_t>(rank)]), placement.location(rank));
    }
    std::ranges::shuffle(locations, random);
  }
  EXPECT_THROW(reorder(Placement::by_node(network, 1), grid), Error);
  EXPECT_THROW(reorder(Placement(network, {{0, 0}}), grid), Error);
}

}  // namespace mapping_test
}  // namespace cuboid::detail
