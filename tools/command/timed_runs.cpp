#include "tools/command/timed_runs.hpp"

#include <cuboid/collectives.hpp>

#include "base/clock.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace cuboid::detail::tools {

void repeat(const std::function<void()>& meet, const std::function<void()>& call, int times,
            std::vector<double>& seconds) {
  for (int i = 0; i < times; ++i) {
    meet();
    const auto start = Clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
}

double warm_up(const Communicator& world, const std::function<void()>& meet,
               const std::function<void()>& call) {
  std::vector<double> seconds;
  repeat(meet, call, 1, seconds);
  const double first = of_slowest(world, seconds).back();
  // Calls that carry little more than the links' rate use up the saved burst slowly.
  constexpr double times_as_long = 10;
  constexpr double most_calls = 50;
  const GroupCostModel& cost_model = world.state().cost_model;
  const double to_save = cost_model.burst_bytes * cost_model.network.beta;
  const double calls = std::min(times_as_long * to_save / std::max(first, 1e-6), most_calls);
  repeat(meet, call, static_cast<int>(std::ceil(calls)) - 1, seconds);
  return first;
}

std::vector<double> of_slowest(const Communicator& world, std::vector<double> seconds) {
  allreduce(world, seconds, seconds, Reduction::Kind::maximum);
  return seconds;
}

}  // namespace cuboid::detail::tools
