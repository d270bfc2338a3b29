#pragma once

#include <functional>

namespace cuboid::detail {

/// True if `attempt` returns. It is tried in a child process, which ends right after it: for calls
/// into libraries that end the program instead of reporting an error, or never return. False also
/// if it throws, takes longer than `most_seconds`, or no child process can be started. Its standard
/// error is discarded. May be called while other threads run; `attempt` should not need locks that
/// these may hold.
bool survives(const std::function<void()>& attempt, unsigned int most_seconds = 5);

}  // namespace cuboid::detail
