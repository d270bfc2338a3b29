#pragma once

#include <algorithm>

namespace cuboid::detail {

/// A rank's links along a line, message by message. While the links are idle they earn burst
/// credit, as token buckets do, which later messages use at once.
class RestingLinks {
 public:
  /// There is no credit at first, because a factorisation follows other work.
  /// @param burst_bytes  the most credit of all links together.
  RestingLinks(double seconds_per_byte, double burst_bytes)
      : seconds_per_byte_(seconds_per_byte), burst_bytes_(burst_bytes) {}

  /// Seconds in which the busiest line carries `bytes`.
  /// @param mean_bytes  the mean over all lines, which take turns in being the busiest.
  double carry(double bytes, double mean_bytes) {
    const double seconds = std::max(0.0, bytes - saved_bytes_) * seconds_per_byte_;
    saved_bytes_ = std::max(0.0, saved_bytes_ - mean_bytes);
    return seconds;
  }

  /// Lets time pass, in which links earn credit.
  void pass(double seconds) {
    if (burst_bytes_ == 0 || seconds_per_byte_ == 0) return;
    saved_bytes_ = std::min(burst_bytes_, saved_bytes_ + seconds / seconds_per_byte_);
  }

 private:
  double seconds_per_byte_, burst_bytes_;
  double saved_bytes_ = 0;
};

}  // namespace cuboid::detail
