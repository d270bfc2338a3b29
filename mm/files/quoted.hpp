#pragma once

#include <string>
#include <string_view>

namespace cuboid::detail {

/// A piece of a file as an error message shows it: in estimates, what cannot be printed as '?', cut
/// off where it is long.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t shown = 40;
  std::string result = "\"";
  for (const char c : text.substr(0, shown)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > shown ? "...\"" : "\"");
}

}  // namespace cuboid::detail
