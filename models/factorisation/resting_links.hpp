#pragma once

#include <algorithm>

namespace cuboid::detail {

/// A rank's links along a line, as it meets them message by message. While they rest they save up a
/// burst, as token buckets do, which passes at once afterwards.
class RestingLinks {
 public:
  /// Nothing is saved up at first: a factorisation follows other work.
  /// @param burst_bytes  that all of the links together save up at most.
  RestingLinks(double seconds_per_byte, double burst_bytes)
      : seconds_per_byte_(seconds_per_byte), burst_bytes_(burst_bytes) {}

  /// Seconds in which the busiest of the lines carries so many bytes.
  /// @param mean_bytes  of all lines, which take turns in being the busiest.
  double carry(double bytes, double mean_bytes) {
    const double seconds = std::max(0.0, bytes - saved_bytes_) * seconds_per_byte_;
    saved_bytes_ = std::max(0.0, saved_bytes_ - mean_bytes);
    return seconds;
  }

  /// Time passes, busy or not.
  void pass(double seconds) {
    if (burst_bytes_ == 0 || seconds_per_byte_ == 0) return;
    saved_bytes_ = std::min(burst_bytes_, saved_bytes_ + seconds / seconds_per_byte_);
  }

 private:
  double seconds_per_byte_, burst_bytes_;
  double saved_bytes_ = 0;
};

}  // namespace cuboid::detail
