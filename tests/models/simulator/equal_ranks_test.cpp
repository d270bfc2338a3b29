#include "models/simulator/equal_ranks.hpp"

#include "models/simulator/simulator.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace equal_ranks_test {

constexpr LogGP network{
    .latency = 5e-6, .send_overhead = 0.7e-6, .receive_overhead = 1.1e-6, .byte_gap = 1e-8};

// A message so far up along each axis of a torus of odd extents, where no way is half-way round.
struct Shift {
  std::vector<int> distances;
  double bytes = 0;
  double work = 0;
  std::vector<std::size_t> after;
};

CommonMessage common(const Shape& shape, const Shift& shift) {
  CommonMessage message{.after = shift.after,
                        .send_seconds = network.send_overhead,
                        .bytes = shift.bytes,
                        .latency = network.latency,
                        .receive_seconds = network.receive_overhead + shift.work};
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const int up = shift.distances[static_cast<std::size_t>(axis)];
    const int down = shape.extent(axis) - up;
    message.crossings.push_back(up < down ? up : 0);
    message.crossings.push_back(down < up ? down : 0);
  }
  return message;
}

double simulated(const Shape& shape, const std::vector<Shift>& shifts) {
  const auto ranks = static_cast<std::size_t>(shape.nodes());
  TransferGraph graph(static_cast<int>(ranks));
  std::vector<std::vector<TransferGraph::Id>> received;  // by message and receiver
  for (const Shift& shift : shifts) {
    NodeIndex distance = 0;
    for (int axis = 0; axis < shape.dimensions(); ++axis)
      distance = distance * shape.extent(axis) + shift.distances[static_cast<std::size_t>(axis)];
    std::vector<TransferGraph::Id> here(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::vector<TransferGraph::Id> after;
      for (const std::size_t earlier : shift.after) after.push_back(received[earlier][rank]);
      const auto to = static_cast<int>(node_at(shape, static_cast<NodeIndex>(rank), distance));
      here[static_cast<std::size_t>(to)] =
          graph.add({static_cast<int>(rank), to, shift.bytes, shift.work}, after);
    }
    received.push_back(std::move(here));
  }
  return simulate(graph, Platform::one_rank_per_node(Routes::dimension_ordered(shape), network))
      .seconds;
}

TEST(EqualRanks, OneMessageTakesTheHopsThatMeet) {
  const Shape ring({{7, true}});
  const CommonMessage message = common(ring, {{5}, 1000, 0, {}});
  const std::vector<double> rates(2, 1e8);
  EXPECT_DOUBLE_EQ(seconds_of_equal_ranks(std::vector{message}, rates),
                   0.7e-6 + 2 * 1000e-8 + 5e-6 + 1.1e-6);
}

TEST(EqualRanks, NothingTakesNoTime) {
  EXPECT_EQ(seconds_of_equal_ranks({}, std::vector{1.0}), 0);
  // Within a node no links are crossed.
  const CommonMessage inside{.bytes = 8, .crossings = {0}, .latency = 3};
  EXPECT_EQ(seconds_of_equal_ranks(std::vector{inside}, std::vector{1.0}), 3);
}

TEST(EqualRanks, TakeWhatIsSimulated) {
  for (const std::vector<int>& extents :
       {std::vector{7}, std::vector{5, 3}, std::vector{3, 3, 5}}) {
    const Shape shape = Shape::torus(extents);
    const std::vector<double> rates(2 * extents.size(), 1 / network.byte_gap);
    for (unsigned seed = 0; seed < 40; ++seed) {
      std::mt19937 random(seed);
      std::vector<Shift> shifts;
      for (int number = 0; number < 8; ++number) {
        Shift shift;
        for (const int extent : extents)
          shift.distances.push_back(static_cast<int>(random() % static_cast<unsigned>(extent)));
        if (std::ranges::count(shift.distances, 0) == std::ssize(shift.distances))
          shift.distances.front() = 1;
        shift.bytes = static_cast<double>(random() % 3000);
        shift.work = static_cast<double>(random() % 3) * 1e-6;
        for (std::size_t earlier = 0; earlier < shifts.size(); ++earlier) {
          if (random() % 3 == 0) shift.after.push_back(earlier);
        }
        shifts.push_back(shift);
      }
      std::vector<CommonMessage> messages;
      for (const Shift& shift : shifts) {
        messages.push_back(common(shape, shift));
        messages.back().peer =
            std::ranges::find(shifts, shift.distances, &Shift::distances) - shifts.begin();
      }
      const double wanted = simulated(shape, shifts);
      EXPECT_NEAR(seconds_of_equal_ranks(messages, rates), wanted, 1e-9 * wanted)
          << shape.to_string() << ", seed " << seed;
    }
  }
}

}  // namespace equal_ranks_test
}  // namespace cuboid::detail
