#pragma once

#include <cuboid/element.hpp>
#include <cuboid/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail::tools {

/// Rejects the user's input: throws Error{invalid_argument} with `message`, which says what is
/// wrong and what to give instead.
[[noreturn]] inline void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

/// Parsers of flag values that several subcommands share. All throw Error(invalid_argument) naming
/// the flag, its value and the remedy.

void require_at_least(std::string_view flag, std::int64_t value, std::int64_t least);

/// Checks a deadline in seconds, if given: greater than 0, and no more than a clock can represent.
void require_timeout(const std::optional<double>& seconds);

/// The element type that --type names.
ElementType parse_type(const std::string& text);

/// Reads numbers >= 1 separated by x, e.g. 2x3x2; nullopt for anything else.
std::optional<std::vector<int>> parse_extents(std::string_view text);

}  // namespace cuboid::detail::tools
