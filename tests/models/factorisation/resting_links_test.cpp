// Links that save up a burst while they rest.

#include "models/factorisation/resting_links.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace resting_links_test {

TEST(RestingLinks, CarryAtTheirRateWithoutBursts) {
  RestingLinks links(0.5, 0);
  links.pass(100);
  EXPECT_DOUBLE_EQ(links.carry(8, 8), 4);
}

TEST(RestingLinks, SaveUpABurstAtMost) {
  RestingLinks links(0.5, 6);
  EXPECT_DOUBLE_EQ(links.carry(8, 8), 4);
  links.pass(1);
  EXPECT_DOUBLE_EQ(links.carry(8, 8), 3);
  links.pass(100);
  EXPECT_DOUBLE_EQ(links.carry(8, 8), 1);
  EXPECT_DOUBLE_EQ(links.carry(8, 8), 4);
}

TEST(RestingLinks, LinesThatTakeTurnsUseLessOnAverage) {
  RestingLinks links(1, 10);
  links.pass(10);
  EXPECT_DOUBLE_EQ(links.carry(8, 2), 0);
  EXPECT_DOUBLE_EQ(links.carry(8, 2), 0);
  EXPECT_DOUBLE_EQ(links.carry(8, 2), 2);
}

TEST(RestingLinks, WithoutATimePerByteNothingTakesLong) {
  RestingLinks links(0, 10);
  links.pass(0);
  EXPECT_EQ(links.carry(8, 8), 0);
}

}  // namespace resting_links_test
}  // namespace cuboid::detail
