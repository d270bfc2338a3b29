#include "topology/network/burst_bound.hpp"

namespace cuboid::detail {

std::optional<double> bound_with_bursts(double bound, double bytes, double head_start) {
  const double sustained = bytes / bound;
  if (2 * head_start >= sustained) return std::nullopt;
  return bytes / (sustained - head_start);
}

}  // namespace cuboid::detail
