#include "base/closest_name.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace closest_name_test {

const std::vector<std::string> names = {"broadcast", "reduce", "allreduce", "reduce_scatter"};

TEST(ClosestName, NeedsTheFewestEdits) {
  EXPECT_EQ(closest_name("brodcast", names), "broadcast");
  EXPECT_EQ(closest_name("alreduce", names), "allreduce");
  EXPECT_EQ(closest_name("redcue", names), "reduce");
  EXPECT_EQ(closest_name("bpg", std::vector<std::string>{"bgl", "bgp", "xt4"}), "bgp");
  EXPECT_EQ(closest_name("ab", std::vector<std::string>{"cd", "ba"}), "ba");
  EXPECT_EQ(closest_name("reduce-scatter", names), "reduce_scatter");
  EXPECT_EQ(closest_name("reduce", names), "reduce");
}

TEST(ClosestName, IsNoneWhereNoneIsLikeIt) {
  for (const char* word : {"", "x", "barrier", "alltoall"})
    EXPECT_EQ(closest_name(word, names), "") << word;
  EXPECT_EQ(closest_name("reduce", {}), "");
  EXPECT_EQ(did_you_mean("barrier", names), "");
  EXPECT_EQ(did_you_mean("reduc", names), " (did you mean reduce?)");
}

}  // namespace closest_name_test
}  // namespace cuboid::detail
