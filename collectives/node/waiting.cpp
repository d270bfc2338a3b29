#include "collectives/node/waiting.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include <sched.h>

namespace cuboid::detail {

WaitPolicy WaitPolicy::for_load(double ranks, std::size_t cores) {
  // A poll costs some 50 ns. A rank with a core of its own polls for about a time slice, which
  // outlasts a peer's short absence: if it gave the core away any sooner, it would answer each
  // absence of the peer with one of its own.
  if (ranks <= static_cast<double>(cores)) return {.spins = 50000, .yields = 100};
  // Every poll of a rank that waits keeps another rank from running, so it does not poll but
  // yields. All ranks that share a core together yield about 80 times before they sleep: 64 ranks
  // on two cores were quicker by 3% than with 20 yields each.
  constexpr double yields = 80;
  const double ranks_per_core = ranks / static_cast<double>(cores);
  return {.spins = 0, .yields = static_cast<int>(std::clamp(yields / ranks_per_core, 1.0, 20.0))};
}

bool Yields::yield() {
  const Clock::time_point start = Clock::now();
  if (!worthwhile(start)) return false;
  sched_yield();
  took(start, Clock::now());
  return true;
}

void Yields::took(Clock::time_point start, Clock::time_point end) {
  using namespace std::chrono_literals;
  // Ranks that compute between messages keep a core for less than long_one, or for so long
  // that it does not matter if a sleeper is slow to wake.
  constexpr auto long_one = 3ms, soon = 100ms, too_much = 40ms, pause = 500ms;
  if (end - start < long_one) return;
  if (start - std::max(last_long_, not_before_) > soon) lost_ = {};
  last_long_ = end;
  lost_ += end - start;
  if (lost_ >= too_much) not_before_ = end + pause;
}

CoreSet usable_cores() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return {0};
  CoreSet cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  }
  return cores;
}

double ranks_on(const CoreSet& mine, std::span<const CoreSet> ranks_of_machine) {
  double ranks = 0;
  for (const CoreSet& theirs : ranks_of_machine) {
    CoreSet common;
    std::set_intersection(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                          std::back_inserter(common));
    if (!common.empty())
      ranks += static_cast<double>(common.size()) / static_cast<double>(theirs.size());
  }
  return ranks;
}

}  // namespace cuboid::detail
