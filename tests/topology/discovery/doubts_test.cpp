#include "topology/discovery/doubts.hpp"

#include <cuboid/shape.hpp>

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace doubts_test {

Discovery of_shape(const char* text, std::vector<int> node_of_rank) {
  const ShapeSpec spec = parse_shape(text);
  Discovery discovery;
  discovery.network = Network::of_shape(spec.shape, spec.bytes_per_second);
  discovery.recognition = recognise(discovery.network);
  discovery.node_of_rank = std::move(node_of_rank);
  return discovery;
}

std::vector<int> first(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(Doubts, OfTheSourceComeFirst) {
  Discovery discovery;
  discovery.doubts = {"a line was passed over"};
  EXPECT_EQ(doubts_about(discovery), discovery.doubts);
}

TEST(Doubts, AreNoneWhereAllIsKnownOrNothing) {
  EXPECT_TRUE(doubts_about(of_shape("torus:4x4@100mbit", first(16))).empty());
  EXPECT_TRUE(doubts_about(of_shape("torus:4x4@200mbit/50mbit", first(16))).empty());
  EXPECT_TRUE(doubts_about(of_shape("torus:4x4", first(16))).empty());
  EXPECT_TRUE(doubts_about(of_shape("torus:4x4", {5, 5})).empty());
  EXPECT_TRUE(doubts_about(Discovery{}).empty());
}

TEST(Doubts, OfCablesWithoutARateBesideOthers) {
  const auto doubts = doubts_about(of_shape("torus:4x4@100mbit/0", first(16)));
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_NE(doubts[0].find("16 of 32 cables"), std::string::npos) << doubts[0];
  EXPECT_NE(doubts[0].find("count as equally fast"), std::string::npos) << doubts[0];
}

TEST(Doubts, OfHostsThatNoCablesJoin) {
  const auto doubts = doubts_about(of_shape("torus:4x4@100mbit", {0, 1, 10}));
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_NE(doubts[0].find("3 hosts"), std::string::npos) << doubts[0];
}

}  // namespace doubts_test
}  // namespace cuboid::detail
