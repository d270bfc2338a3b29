#include "tools/command/stolen_time.hpp"

#include "tools/command/timed_runs.hpp"

#include <array>
#include <fstream>
#include <numeric>
#include <string>

namespace cuboid::detail::tools {

namespace {

CoreTicks ticks_until_now() {
  std::ifstream file("/proc/stat");
  return parse_core_ticks(file);
}

}  // namespace

CoreTicks parse_core_ticks(std::istream& text) {
  // Fields: user, nice, system, idle, iowait, irq, softirq, steal. Guests' time follows; user
  // includes it.
  std::array<std::uint64_t, 8> ticks{};
  std::string name;
  text >> name;
  for (std::uint64_t& one : ticks) text >> one;
  if (!text || name != "cpu") return {};
  return {ticks.back(), std::accumulate(ticks.begin(), ticks.end(), std::uint64_t{0})};
}

StolenTime::StolenTime() : before_(ticks_until_now()) {}

double StolenTime::share() const {
  const CoreTicks now = ticks_until_now();
  if (now.all <= before_.all) return 0;
  return static_cast<double>(now.stolen - before_.stolen) /
         static_cast<double>(now.all - before_.all);
}

double StolenTime::largest_share(const Communicator& world) const {
  return of_slowest(world, share());
}

}  // namespace cuboid::detail::tools
