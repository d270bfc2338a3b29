#include "topology/network/burst_bound.hpp"

namespace cuboid::detail {

std::optional<double> bound_with_bursts(double bound, double bytes, double head_start) {
  const double seconds = bytes / bound - head_start;
  if (seconds <= 0) return std::nullopt;
  return bytes / seconds;
}

}  // namespace cuboid::detail
