#include "base/byte_count.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace cuboid::detail {

std::optional<std::int64_t> parse_byte_count(std::string_view text) {
  double bytes = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, bytes);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (error != std::errc{} || unit.size() > 1) return std::nullopt;
  if (!unit.empty()) {
    const std::size_t power = std::string_view("KMGT").find(unit);
    if (power == std::string_view::npos) return std::nullopt;
    bytes = std::ldexp(bytes, 10 * (static_cast<int>(power) + 1));
  } else if (bytes != std::floor(bytes)) {
    return std::nullopt;
  }
  constexpr double most = 9e18;  // fits into 64 bits
  if (!(bytes >= 0 && bytes <= most)) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

}  // namespace cuboid::detail
