// Events come in the order of their times. Events of one time come in the order of add().

#include "models/simulator/event_queue.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace event_queue_test {

using Kind = SimulationEvent::Kind;

TEST(EventQueue, KeepsTheOrderOfTimesAndOfEqualTimes) {
  std::mt19937 random;
  for (const unsigned different_times : {1U, 3U, 50U, 100'000U}) {
    EventQueue events;
    std::map<std::pair<double, std::uint32_t>, std::uint32_t> expected;  // by time and order
    double now = 0;
    std::uint32_t added = 0;
    for (int turn = 0; turn < 20'000; ++turn) {
      ASSERT_EQ(events.empty(), expected.empty());
      if (expected.empty() || random() % 2 == 0) {
        const double time = now + 0.1 * static_cast<double>(random() % different_times);
        expected.emplace(std::pair(time, added), added);
        events.add(time, Kind::done, added++);
        continue;
      }
      ASSERT_EQ(events.next_time(), expected.begin()->first.first);
      const SimulationEvent event = events.pop();
      ASSERT_EQ(event.time, expected.begin()->first.first);
      ASSERT_EQ(event.number, expected.begin()->second);
      now = event.time;
      expected.erase(expected.begin());
    }
  }
}

}  // namespace event_queue_test
}  // namespace cuboid::detail
