#include "tools/bench/sub_box.hpp"

#include <cuboid/error.hpp>

#include "tools/output/flag_values.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// Numbers >= 0 separated by commas; nullopt for anything else.
std::optional<Coordinate> parse_coordinate(std::string_view text) {
  Coordinate coordinate;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int& one = coordinate.emplace_back();
    const auto [rest, error] = std::from_chars(at, end, one);
    if (error != std::errc{} || one < 0) return std::nullopt;
    if (rest == end) return coordinate;
    if (*rest != ',') return std::nullopt;
    at = rest + 1;
  }
}

}  // namespace

SubBox parse_sub_box(const std::string& text) {
  const auto at = text.find('@');
  const auto extents = parse_extents(std::string_view(text).substr(0, at));
  const std::optional<Coordinate> origin =
      at == std::string::npos ? Coordinate(extents ? extents->size() : 0)
                              : parse_coordinate(std::string_view(text).substr(at + 1));
  if (!extents || !origin || origin->size() != extents->size()) {
    refuse(
        fmt::format("--sub-box {}: give extents and the first node, one number of each per axis, "
                    "e.g. 2x2@1,1",
                    text));
  }
  return {*extents, *origin, text};
}

Cuboid SubBox::in(const Shape& shape) const {
  if (extents.size() != static_cast<std::size_t>(shape.dimensions())) {
    refuse(fmt::format("--sub-box {}: {} has {} axes: give one extent per axis", text,
                       shape.to_string(), shape.dimensions()));
  }
  try {
    return {shape, origin, extents};
  } catch (const Error& error) {
    refuse(fmt::format("--sub-box {}: {}", text, error.what()));
  }
}

}  // namespace cuboid::detail::tools
