#include <cuboid/collectives/allreduce.hpp>
#include <cuboid/tools/repetitions.hpp>

#include <chrono>

namespace cuboid::tools {

void repeat(const std::function<void()>& meet, const std::function<void()>& call, int times,
            std::vector<double>& seconds) {
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < times; ++i) {
    meet();
    const auto start = Clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
}

std::vector<double> of_slowest(const Communicator& world, std::vector<double> seconds) {
  allreduce(world, seconds, seconds, Reduction::Kind::maximum);
  return seconds;
}

}  // namespace cuboid::tools
