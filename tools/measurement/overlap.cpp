#include "tools/measurement/overlap.hpp"

#include <cuboid/collectives.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>

namespace cuboid::detail::tools {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// Takes the given number of steps; each step depends on the one before.
void work_steps(std::uint64_t steps) {
  volatile std::uint64_t sink = 0;
  std::uint64_t state = sink + 1;
  for (std::uint64_t i = 0; i < steps; ++i) state = state * 6364136223846793005U + 1;
  sink = state;
}

}  // namespace

double Overlap::percent() const {
  if (pure <= 0) return 0;
  return std::clamp(100 * (1 - (overall - compute) / pure), 0.0, 100.0);
}

DummyWork::DummyWork() {
  constexpr std::uint64_t steps = 200000;
  constexpr int tries = 5;  // the fastest try is the least disturbed one
  for (int i = 0; i < tries; ++i) {
    const auto begin = Clock::now();
    work_steps(steps);
    const double seconds = seconds_between(begin, Clock::now());
    per_second_ = std::max(per_second_, static_cast<double>(steps) / seconds);
  }
}

void DummyWork::run(double seconds) const {
  work_steps(static_cast<std::uint64_t>(seconds * per_second_));
}

Overlap measure_overlap(const OverlappedCall& call, const DummyWork& work, int iterations) {
  Overlap sum;
  for (int i = 0; i < iterations; ++i) {
    call.meet();
    const auto begin = Clock::now();
    call.start();
    call.wait();
    sum.pure += seconds_between(begin, Clock::now());
  }
  const double length = sum.pure / iterations;
  for (int i = 0; i < iterations; ++i) {
    call.meet();
    const auto begin = Clock::now();
    call.start();
    const auto started = Clock::now();
    work.run(length);
    const auto worked = Clock::now();
    call.wait();
    const auto end = Clock::now();
    sum.start += seconds_between(begin, started);
    sum.compute += seconds_between(started, worked);
    sum.wait += seconds_between(worked, end);
    sum.overall += seconds_between(begin, end);
  }
  const double pure = sum.pure / iterations;
  return {.overall = sum.overall / iterations,
          .compute = sum.compute / iterations,
          .start = sum.start / iterations,
          .wait = sum.wait / iterations,
          .pure = pure,
          .least_pure = pure,
          .most_pure = pure};
}

Overlap over_ranks(const Communicator& world, const Overlap& mine, bool counts) {
  std::array sums = {mine.overall, mine.compute, mine.start, mine.wait, mine.pure, 1.0};
  constexpr double none = -1e300;
  // The minimum is the negated maximum of the negated values.
  std::array most = {mine.most_pure, -mine.least_pure};
  if (!counts) {
    sums.fill(0);
    most.fill(none);
  }
  allreduce(world, sums, sums, Reduction::Kind::sum);
  allreduce(world, most, most, Reduction::Kind::maximum);
  const double ranks = sums[5];
  return {.overall = sums[0] / ranks,
          .compute = sums[1] / ranks,
          .start = sums[2] / ranks,
          .wait = sums[3] / ranks,
          .pure = sums[4] / ranks,
          .least_pure = -most[1],
          .most_pure = most[0]};
}

void put_overlap(nlohmann::ordered_json& row, const char* prefix, const Overlap* overlap) {
  const auto put = [&](const char* name, double value) {
    nlohmann::ordered_json& member = row[std::string(prefix) + name];
    if (overlap) member = value;
  };
  const Overlap& values = overlap ? *overlap : Overlap();
  put("overall_seconds", values.overall);
  put("compute_seconds", values.compute);
  put("start_seconds", values.start);
  put("wait_seconds", values.wait);
  put("pure_seconds", values.pure);
  put("pure_seconds_min", values.least_pure);
  put("pure_seconds_max", values.most_pure);
  put("overlap_percent", values.percent());
}

}  // namespace cuboid::detail::tools
