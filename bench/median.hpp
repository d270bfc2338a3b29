#pragma once

#include "base/statistics.hpp"

#include <chrono>
#include <utility>
#include <vector>

/// The median time of `run`. An unmeasured `prepare` precedes each run; the first run is a warm-up.
template <class Prepare, class Run>
double median_seconds(int repeats, const Prepare& prepare, const Run& run) {
  std::vector<double> seconds;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    prepare();
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (repeat >= 0) seconds.push_back(passed.count());
  }
  return cuboid::detail::median(std::move(seconds));
}
