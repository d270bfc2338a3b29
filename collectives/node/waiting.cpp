#include "collectives/node/waiting.hpp"

#include <algorithm>
#include <iterator>

#include <sched.h>

namespace cuboid::detail {

WaitPolicy WaitPolicy::for_load(double ranks, std::size_t cores) {
  // A poll costs some 50 ns. A core of one's own is held for a time slice or so, which outlasts a
  // peer's short absence: giving the core away any sooner would answer each of its absences with
  // one of ours.
  if (ranks <= static_cast<double>(cores)) return {.spins = 50000, .yields = 100};
  // Every poll of a rank that waits keeps another from running: one look, then the next one's turn.
  // All that share a core may take so many turns together (64 ranks on two cores were quicker by 3%
  // so than with 20 turns each).
  constexpr double turns = 80;
  const double crowd = ranks / static_cast<double>(cores);
  return {.spins = 0, .yields = static_cast<int>(std::clamp(turns / crowd, 1.0, 20.0))};
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
