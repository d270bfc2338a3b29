#include "tools/measurement/overlap.hpp"

#include <algorithm>
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

Overlap& Overlap::operator+=(const Overlap& other) {
  overall += other.overall;
  compute += other.compute;
  start += other.start;
  wait += other.wait;
  pure += other.pure;
  return *this;
}

Overlap Overlap::operator/(double divisor) const {
  return {overall / divisor, compute / divisor, start / divisor, wait / divisor, pure / divisor};
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
  return sum / iterations;
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
  put("overlap_percent", values.percent());
}

}  // namespace cuboid::detail::tools
