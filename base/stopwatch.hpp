#pragma once

#include "base/clock.hpp"

#include <chrono>

namespace cuboid::detail {

/// Adds the seconds from its construction to its destruction to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), start_(Clock::now()) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  Clock::time_point start_;
};

}  // namespace cuboid::detail
