#pragma once

#include <cuboid/error.hpp>

#include <string>

namespace cuboid::detail::tools {

/// Rejects the user's input: throws Error{invalid_argument} with `message`, which says what is
/// wrong and what to give instead.
[[noreturn]] inline void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

}  // namespace cuboid::detail::tools
