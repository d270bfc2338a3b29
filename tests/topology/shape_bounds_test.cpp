#include <cuboid/topology/cut_bound.hpp>
#include <cuboid/topology/shape_bounds.hpp>
#include <cuboid/topology/shape_spec.hpp>

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid {
namespace {

class ShapeBounds : public testing::TestWithParam<const char*> {};

TEST_P(ShapeBounds, AreThoseOfTheCuts) {
  const Shape shape = parse_shape(GetParam()).shape;
  constexpr double rate = 100;
  const Network network = Network::of_shape(
      shape, std::vector<double>(static_cast<std::size_t>(shape.dimensions()), rate));
  std::vector<int> hosts(static_cast<std::size_t>(shape.nodes()));
  std::iota(hosts.begin(), hosts.end(), 0);
  constexpr double exact = 1e-6;
  EXPECT_NEAR(broadcast_bound(shape, rate), broadcast_bound(network, 0, hosts), exact);
  EXPECT_NEAR(allgather_bound(shape, rate), allgather_bound(network, hosts), exact);
  EXPECT_NEAR(allgather_bound(shape, rate), alltoall_bound(network, hosts), exact);
  EXPECT_NEAR(gather_bound(shape, rate), gather_bound(network, 0, hosts), exact);
  EXPECT_NEAR(allreduce_bound(shape, rate), allreduce_bound(network, hosts), exact);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShapeBounds,
                         testing::Values("torus:2", "mesh:2", "torus:7", "mesh:9", "torus:4x4",
                                         "mesh:4x4", "mesh:12x2", "torus:12x2", "torus:3x3x3",
                                         "mesh:2x3x4", "torus:4x3,mesh:2", "mesh:1x5",
                                         "torus:1x4"));

TEST(ShapeBounds, AreInfiniteForOneNode) {
  EXPECT_TRUE(std::isinf(broadcast_bound(Shape(), 1)));
  EXPECT_TRUE(std::isinf(allgather_bound(Shape(), 1)));
  EXPECT_TRUE(std::isinf(gather_bound(Shape(), 1)));
  EXPECT_TRUE(std::isinf(allreduce_bound(Shape(), 1)));
}

TEST(ShapeBounds, OfManyNodes) {
  EXPECT_DOUBLE_EQ(broadcast_bound(parse_shape("torus:64x64x64").shape, 1e9), 6e9);
}

}  // namespace
}  // namespace cuboid
