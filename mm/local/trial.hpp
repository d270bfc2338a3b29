#pragma once

#include <functional>

namespace cuboid::detail {

/// Whether `attempt` returns, tried in a child process that ends right after it: for calls into
/// libraries that end the program instead of reporting an error, or never return. False, too, where
/// it throws, takes longer than `most_seconds`, or no child can be had. What it writes to standard
/// error is not seen. May be called while other threads run; `attempt` should not need what these
/// hold.
bool survives(const std::function<void()>& attempt, unsigned int most_seconds = 5);

}  // namespace cuboid::detail
