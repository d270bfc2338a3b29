#pragma once

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>

#include "base/stopwatch.hpp"
#include "tools/command/over_ranks.hpp"
#include "tools/output/progress.hpp"

#include <algorithm>
#include <functional>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

/// Makes `times` calls on this rank and appends the time of each; all ranks synchronise before each
/// call.
void repeat(const std::function<void()>& meet, const std::function<void()>& call, int times,
            std::vector<double>& seconds);

/// Warms up. Calls at least once, and until links between nodes have used up their bursts, so that
/// later calls are typical. Returns the time of the first call on its slowest rank. Collective.
double warm_up(const Communicator& world, const std::function<void()>& meet,
               const std::function<void()>& call);

/// The times of the slowest rank in each repetition. Collective.
std::vector<double> of_slowest(const Communicator& world, std::vector<double> seconds);

/// The times of the slowest rank in several runs of the same work.
template <class Phases>
struct TimedRuns {
  double seconds = 0;  ///< the median
  Phases phases = {};  ///< this rank's, of the median run; of the quicker of the two in the middle
  Traffic traffic = {};  ///< this rank's, of the last run
};

/// The time of the slowest rank. Collective.
inline double of_slowest(const Communicator& communicator, double seconds) {
  const auto all = of_all_ranks(communicator, seconds);
  return *std::ranges::max_element(all);
}

/// Runs `work`, which returns its phases, `count` >= 1 times, each time from a barrier on.
/// Collective.
template <class Work>
TimedRuns<std::invoke_result_t<Work>> timed_runs(const Communicator& communicator,
                                                 Progress& progress, const char* what, int count,
                                                 const Work& work) {
  using Phases = std::invoke_result_t<Work>;
  struct Run {
    double seconds;
    Phases phases;
  };
  TimedRuns<Phases> result;
  std::vector<Run> runs;
  for (int run = 0; run < count; ++run) {
    progress.step(count == 1 ? what : fmt::format("{} {}/{}", what, run + 1, count));
    barrier(communicator);
    const Traffic before = communicator.traffic();
    double took = 0;
    Phases phases;
    {
      const Stopwatch watch(took);
      phases = work();
    }
    result.traffic = communicator.traffic() - before;
    runs.push_back({of_slowest(communicator, took), phases});
  }
  std::ranges::stable_sort(runs, {}, &Run::seconds);
  const Run& lower = runs[(runs.size() - 1) / 2];
  result.seconds = (runs[runs.size() / 2].seconds + lower.seconds) / 2;
  result.phases = lower.phases;
  return result;
}

}  // namespace cuboid::detail::tools
