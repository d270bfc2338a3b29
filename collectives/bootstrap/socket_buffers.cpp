#include "collectives/bootstrap/socket_buffers.hpp"

#include <algorithm>
#include <fstream>

namespace cuboid::detail {

namespace {

/// Measured at 20 to 200 Mbit/s: 32 KiB starve reductions, and 128 KiB cost ten percentage points
/// at 50 Mbit/s.
constexpr std::size_t least_bytes = 64 << 10;

/// The time after which a rank that shares its core serves its connections again.
constexpr double seconds_away = 1.5e-3;

/// Linux's default. In a network namespace of an older kernel the setting is not visible; then
/// nobody can have changed it from within.
constexpr std::size_t usual_kernel_limit = 212992;

std::size_t number_in(const char* path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : usual_kernel_limit;
}

}  // namespace

std::optional<std::size_t> socket_buffer_bytes(double bytes_per_second, std::size_t kernel_limit) {
  if (!(bytes_per_second > 0)) return std::nullopt;
  const double carried_meanwhile = bytes_per_second * seconds_away;
  if (std::max(carried_meanwhile, static_cast<double>(least_bytes)) >
      static_cast<double>(kernel_limit)) {
    return std::nullopt;
  }
  return std::max(least_bytes, static_cast<std::size_t>(carried_meanwhile));
}

double fastest_rate(std::span<const LinkReport> links, const std::set<std::string>& interfaces) {
  double fastest = 0;
  for (const LinkReport& link : links) {
    if (link.neighbours.empty() && !interfaces.contains(link.name)) continue;
    fastest = std::max(fastest, link.bytes_per_second);
  }
  return fastest;
}

std::size_t kernel_limit_of_socket_buffers() {
  return std::min(number_in("/proc/sys/net/core/wmem_max"),
                  number_in("/proc/sys/net/core/rmem_max"));
}

}  // namespace cuboid::detail
