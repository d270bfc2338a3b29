#include "tools/output/flag_values.hpp"

#include <charconv>

#include <fmt/format.h>

namespace cuboid::detail::tools {

void require_at_least(std::string_view flag, std::int64_t value, std::int64_t least) {
  if (value < least) refuse(fmt::format("{} {}: give at least {}", flag, value, least));
}

void require_timeout(const std::optional<double>& seconds) {
  constexpr double most = 1e9;  // more would overflow the clock
  if (!seconds || (*seconds > 0 && *seconds <= most)) return;
  refuse(fmt::format("--timeout {}: give a number of seconds greater than 0 and at most 1e9",
                     *seconds));
}

ElementType parse_type(const std::string& text) {
  try {
    return parse_element_type(text);
  } catch (const Error& error) {
    refuse(fmt::format("--type {}: {}", text, error.what()));
  }
}

std::optional<std::vector<int>> parse_extents(std::string_view text) {
  std::vector<int> extents;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int& extent = extents.emplace_back();
    const auto [rest, error] = std::from_chars(at, end, extent);
    if (error != std::errc{} || extent < 1) return std::nullopt;
    if (rest == end) return extents;
    if (*rest != 'x') return std::nullopt;
    at = rest + 1;
  }
}

}  // namespace cuboid::detail::tools
