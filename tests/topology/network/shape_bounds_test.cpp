#include "topology/network/shape_bounds.hpp"

#include <cuboid/grid.hpp>
#include <cuboid/shape.hpp>

#include "topology/network/cut_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace shape_bounds_test {

constexpr std::array one{1.0};

class ShapeBounds : public testing::TestWithParam<std::string> {};

TEST_P(ShapeBounds, AreThoseOfTheCuts) {
  const Shape shape = parse_shape(GetParam()).shape;
  constexpr std::array rates{100.0};
  const Network network = Network::of_shape(
      shape, std::vector<double>(static_cast<std::size_t>(shape.dimensions()), rates[0]));
  std::vector<int> hosts(static_cast<std::size_t>(shape.nodes()));
  std::iota(hosts.begin(), hosts.end(), 0);
  constexpr double exact = 1e-6;
  EXPECT_NEAR(broadcast_bound(shape, rates), broadcast_bound(network, 0, hosts), exact);
  EXPECT_NEAR(allgather_bound(shape, rates), allgather_bound(network, hosts), exact);
  // What is looked for in any network knows of no halves: exact only where all links are alike.
  const bool alike = std::ranges::all_of(
      shape.axes(), [&](const Axis& axis) { return axis.wraps && axis == shape.axes().front(); });
  EXPECT_LE(alltoall_bound(shape, rates), alltoall_bound(network, hosts) + exact);
  if (alike) {
    EXPECT_NEAR(alltoall_bound(shape, rates), alltoall_bound(network, hosts), exact);
  }
  EXPECT_NEAR(gather_bound(shape, rates), gather_bound(network, 0, hosts), exact);
  EXPECT_LE(allreduce_bound(shape, rates), allreduce_bound(network, hosts) + exact);
}

TEST_P(ShapeBounds, OfAxesOfAnyRates) {
  const Shape shape = parse_shape(GetParam()).shape;
  std::vector<int> hosts(static_cast<std::size_t>(shape.nodes()));
  std::iota(hosts.begin(), hosts.end(), 0);
  const std::vector<std::vector<double>> all = {{1, 10, 3}, {10, 1, 2}, {4, 3, 40}};
  for (std::vector<double> rates : all) {
    rates.resize(static_cast<std::size_t>(shape.dimensions()), 7);
    const Network network = Network::of_shape(shape, rates);
    constexpr double exact = 1e-6;
    EXPECT_NEAR(broadcast_bound(shape, rates), broadcast_bound(network, 0, hosts), exact);
    EXPECT_NEAR(allgather_bound(shape, rates), allgather_bound(network, hosts), exact);
    EXPECT_NEAR(gather_bound(shape, rates), gather_bound(network, 0, hosts), exact);
    EXPECT_LE(allreduce_bound(shape, rates), allreduce_bound(network, hosts) + exact);
    EXPECT_LE(alltoall_bound(shape, rates), alltoall_bound(network, hosts) + exact);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShapeBounds,
                         testing::Values("torus:2", "mesh:2", "torus:7", "mesh:9", "torus:4x4",
                                         "mesh:4x4", "mesh:12x2", "torus:12x2", "torus:3x3x3",
                                         "mesh:2x3x4", "torus:4x3,mesh:2", "mesh:1x5",
                                         "torus:2,mesh:12", "torus:2x2,mesh:5",
                                         "torus:2x2,mesh:2x3", "torus:1x4"));

TEST_P(ShapeBounds, OfAnAllToAllIsWhatTheShortestWaysLoadTheBusiestLinkWith) {
  const Shape shape = parse_shape(GetParam()).shape;
  const auto nodes = static_cast<int>(shape.nodes());
  std::vector<Passage> passages;
  for (int from = 0; from < nodes; ++from)
    for (int to = 0; to < nodes; ++to)
      if (from != to) passages.push_back({from, to});
  constexpr std::array rates{100.0};
  const double busiest = passages_load(shape, passages).worst_link;
  // A message is as many blocks as there are nodes. Ways that are half round a ring may be cut in
  // two by the bound, but not by whole blocks.
  EXPECT_LE(busiest, nodes * rates[0] / alltoall_bound(shape, rates) + nodes / 2);
  EXPECT_GE(busiest, nodes * rates[0] / alltoall_bound(shape, rates) * 0.999);
}

TEST(ShapeBounds, OfAnAllToAllByHand) {
  const auto bound = [](const char* shape) {
    return alltoall_bound(parse_shape(shape).shape, one);
  };
  EXPECT_DOUBLE_EQ(bound("ring:16"), 0.5);     // 64 blocks of 16 over two links
  EXPECT_DOUBLE_EQ(bound("mesh:16"), 0.25);    // over one
  EXPECT_DOUBLE_EQ(bound("mesh:4x16"), 0.25);  // of every line
  EXPECT_DOUBLE_EQ(bound("torus:4x4"), 2);     // 4 of 4 blocks over two
  EXPECT_DOUBLE_EQ(bound("torus:3x3x3"), 3);   // 2 of 3
  EXPECT_DOUBLE_EQ(bound("hypercube:3"), 2);
}

TEST(ShapeBounds, AreInfiniteForOneNode) {
  EXPECT_TRUE(std::isinf(alltoall_bound(Shape(), one)));
  EXPECT_TRUE(std::isinf(broadcast_bound(Shape(), one)));
  EXPECT_TRUE(std::isinf(allgather_bound(Shape(), one)));
  EXPECT_TRUE(std::isinf(gather_bound(Shape(), one)));
  EXPECT_TRUE(std::isinf(allreduce_bound(Shape(), one)));
}

// A row of the fast axis has as many slow links as it has nodes, and no more comes in.
TEST(ShapeBounds, OfAFastAndASlowAxis) {
  const std::array rates{1e9, 1e8};
  const Shape shape = parse_shape("torus:8x8").shape;
  EXPECT_DOUBLE_EQ(broadcast_bound(shape, rates), 16e8);
  EXPECT_DOUBLE_EQ(allgather_bound(shape, rates), 16e8 * 64 / 56);
  EXPECT_DOUBLE_EQ(allreduce_bound(shape, rates), 2 * 64 * 1e8 / 14);
}

TEST(ShapeBounds, OfManyNodes) {
  EXPECT_DOUBLE_EQ(broadcast_bound(parse_shape("torus:64x64x64").shape, std::array{1e9}), 6e9);
}

}  // namespace shape_bounds_test
}  // namespace cuboid::detail
