#include "collectives/rounds/bucket_messages.hpp"

#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace bucket_messages_test {

const std::vector<Shape>& tori() {
  static const std::vector<Shape> shapes = {
      Shape::torus(std::vector{4, 4}), Shape::torus(std::vector{3, 5}),
      Shape::torus(std::vector{2, 3, 4}), Shape::torus(std::vector{7}),
      Shape({{3, true}, {1, true}, {4, true}})};
  return shapes;
}

// By round and receiver: blocks.
using Sent = std::map<std::tuple<std::size_t, NodeIndex>, double>;

TEST(BucketMessages, AreThoseOfNodeZero) {
  for (const Shape& shape : tori()) {
    for (const int passes : {1, 2}) {
      const auto colours = bucket_colours(shape, {}, passes);
      std::vector<int> rank_at(static_cast<std::size_t>(shape.nodes()));
      std::iota(rank_at.begin(), rank_at.end(), 0);
      Sent wanted;
      const Rounds rounds = bucket_allgather(shape, colours, rank_at, 0);
      for (std::size_t round = 0; round < rounds.rounds.size(); ++round) {
        for (const Exchange& exchange : rounds.rounds[round]) {
          if (exchange.sender == 0)
            wanted[{round, exchange.receiver}] +=
                static_cast<double>(exchange.blocks.size()) / bucket_parts(shape);
        }
      }
      for (const double run : {0.5, 2.0, std::numeric_limits<double>::infinity()}) {
        Sent sent;
        for (const BucketMessage& message :
             bucket_messages(shape, colours, std::vector<double>(colours.size(), run))) {
          const NodeIndex to = shape.neighbour(0, message.axis, message.direction);
          sent[{static_cast<std::size_t>(message.round), to}] += message.blocks;
        }
        EXPECT_EQ(sent, wanted) << shape.to_string() << ", runs of " << run;
      }
    }
  }
}

// Along its first axis a node's own block waits for nothing, whatever is passed on for what brought
// it: in whole bundles for the message of the step before.
TEST(BucketMessages, WaitForWhatBringsTheirBlocks) {
  const Shape shape = Shape::torus(std::vector{5, 5});
  const auto colours = bucket_colours(shape);
  const auto messages = bucket_messages(shape, colours, std::vector<double>(colours.size(), 100));
  for (const BucketMessage& message : messages) {
    for (const std::size_t earlier : message.after) {
      EXPECT_EQ(messages[earlier].colour, message.colour);
      EXPECT_LT(messages[earlier].round, message.round);
    }
    // Rounds 0 and 1 go along the first axis, 2 and 3 along the second; of the line, four blocks
    // were brought.
    const std::vector<std::size_t> wanted{0, 1, 4, 1};
    EXPECT_EQ(message.after.size(), wanted[static_cast<std::size_t>(message.round)]);
  }
}

// Up a line blocks come from each of the nodes below its end; half as many go back meanwhile. Along
// the next axis all that they brought goes together.
TEST(BucketMessages, GoUpLinesToTheirEnds) {
  for (const int extent : {2, 3, 4, 5, 8}) {
    const Shape shape({{extent, false}, {3, false}});
    const BucketColour colour{.axes = {0, 1}};
    const std::vector<double> whole{std::numeric_limits<double>::infinity()};
    std::map<std::pair<int, int>, int> bundles;  // by axis and direction
    const auto messages = bucket_messages(shape, std::span(&colour, 1), whole);
    for (const BucketMessage& message : messages) {
      ++bundles[{message.axis, message.direction}];
      EXPECT_EQ(message.blocks, message.axis == 0 ? 1 : extent);
      const auto line = static_cast<std::size_t>(extent) - 1;
      if (message.axis == 1 && message.round == extent - 1) {
        EXPECT_EQ(message.after.size(), line) << "a line of " << extent;
      }
    }
    EXPECT_EQ((bundles[{0, +1}]), extent - 1);
    EXPECT_EQ((bundles[{0, -1}]), (extent - 1) / 2);
    for (const int axis : {0, 1})
      EXPECT_EQ((bundles[{axis, +1}] + bundles[{axis, -1}]), bucket_bundles(shape, axis));
  }
}

}  // namespace bucket_messages_test
}  // namespace cuboid::detail
