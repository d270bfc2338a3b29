#include "models/messages/torus_costs.hpp"

#include <array>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace torus_costs_test {

// Powers of two, so that the expected values are exact.
const LogGP network = log_p(/*L=*/8, /*o=*/2, /*g=*/0, /*G=*/0.25);

TEST(TorusCosts, PartitionsAreThoseOfTheirShapes) {
  const Partition cubic = partition(Shape::torus(std::array{8, 8, 8}));
  EXPECT_EQ(cubic.nodes, 512);
  EXPECT_EQ(cubic.dimensions, 3);
  EXPECT_EQ(cubic.trees, 6);
  EXPECT_EQ(cubic.hops, 24);
  const Partition same = cube(8, 3);
  EXPECT_EQ(same.nodes, cubic.nodes);
  EXPECT_EQ(same.trees, cubic.trees);
  EXPECT_EQ(same.hops, cubic.hops);

  const Partition mixed = partition(Shape({{4, true}, {1, true}, {3, false}}));
  EXPECT_EQ(mixed.nodes, 12);
  EXPECT_EQ(mixed.dimensions, 2);
  EXPECT_EQ(mixed.trees, 3);
  EXPECT_EQ(mixed.hops, 7);
}

TEST(TorusCosts, ByHandOnARingOfEight) {
  const Partition ring = cube(8, 1);
  const double bytes = 64;
  EXPECT_EQ(rectangular_start_seconds(network, ring, bytes), 8 + 4 * 2 + 24);       // eq 4
  EXPECT_EQ(rectangular_path_seconds(network, ring), 8 * (4 + 8));                  // eq 5
  EXPECT_EQ(rectangular_multicast_seconds(network, ring, bytes), 8 + 8 + 24 + 96);  // eq 6
  EXPECT_EQ(binomial_multicast_seconds(network, ring, bytes), 3 * (8 + 4 + 8));     // eq 9
}

TEST(TorusCosts, ByHandOnACube) {
  const Partition torus = cube(8, 3);
  EXPECT_EQ(rectangular_multicast_seconds(network, torus, 96), 4 + 8 * 2 + 24 + 24 * 12);
  EXPECT_EQ(binomial_multicast_seconds(network, torus, 96), 9 * (4 + 12));
}

TEST(TorusCosts, AReductionWaitsForTheSlowestOfAddingMemoryAndLink) {
  const Partition ring = cube(8, 1);
  const double multicast = rectangular_multicast_seconds(network, ring, 64);
  EXPECT_EQ(rectangular_reduction_seconds(network, ring, {}, 64), multicast);
  EXPECT_EQ(rectangular_reduction_seconds(network, ring, {.flops_per_second = 1}, 64), multicast);
  EXPECT_EQ(rectangular_reduction_seconds(network, ring, {.flops_per_second = 0.5}, 64),
            multicast + 8);  // 8 elements of 2 s, where the link takes 8 s
  EXPECT_EQ(rectangular_reduction_seconds(network, ring, {.memory_bytes_per_second = 12}, 64),
            multicast + 8);  // 192 bytes
}

TEST(TorusCosts, OneNodeNeedsNoTime) {
  for (const Partition& alone : {Partition{}, cube(1, 3), partition(Shape())}) {
    EXPECT_EQ(rectangular_multicast_seconds(network, alone, 64), 0);
    EXPECT_EQ(rectangular_reduction_seconds(network, alone, {}, 64), 0);
    EXPECT_EQ(binomial_multicast_seconds(network, alone, 64), 0);
  }
}

TEST(TorusCosts, WithoutBytesOnlyOverheadsAreLeft) {
  LogGP endless = network;
  endless.byte_gap = 1000;
  EXPECT_EQ(rectangular_multicast_seconds(network, cube(4, 2), 0),
            rectangular_multicast_seconds(endless, cube(4, 2), 0));
  EXPECT_EQ(binomial_multicast_seconds(network, cube(4, 2), 0),
            binomial_multicast_seconds(endless, cube(4, 2), 0));
}

TEST(TorusCosts, LongMessagesUseAllLinks) {
  for (const double dimensions : {1.0, 2.0, 3.0}) {
    const double bytes = 1e12;
    EXPECT_NEAR(bytes / rectangular_multicast_seconds(network, cube(8, dimensions), bytes),
                2 * dimensions / network.byte_gap, 1e-6);
    // The binomial's peak is the same on each: trees grow with links (Solomonik et al. 2011, §5.2).
    EXPECT_NEAR(bytes / binomial_multicast_seconds(network, cube(8, dimensions), bytes),
                2.0 / 3 / network.byte_gap, 1e-6);
  }
}

TEST(TorusCosts, NeverLessForMoreBytesOrNodes) {
  double before = 0;
  for (double bytes = 0; bytes <= 4096; bytes += 64) {
    const double seconds = rectangular_multicast_seconds(network, cube(4, 2), bytes);
    EXPECT_GE(seconds, before);
    EXPECT_LE(seconds, rectangular_multicast_seconds(network, cube(5, 2), bytes));
    before = seconds;
  }
}

TEST(TorusCosts, SecondsScaleWithTheirUnit) {
  const LogGP slower = log_p(80, 20, 0, 2.5);
  EXPECT_DOUBLE_EQ(rectangular_multicast_seconds(slower, cube(4, 3), 1000),
                   10 * rectangular_multicast_seconds(network, cube(4, 3), 1000));
}

}  // namespace torus_costs_test
}  // namespace cuboid::detail
