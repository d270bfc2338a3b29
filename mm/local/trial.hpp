#pragma once

#include <functional>

namespace cuboid::detail {

/// True if `attempt` returns. It runs in a child process that ends right after it. This is for
/// calls into libraries that end the program instead of reporting an error, or that never return.
/// False also if `attempt` throws or takes longer than `most_seconds`, or if no child process can
/// be started. The child's standard error is discarded. It may be called while other threads run;
/// `attempt` should not need locks that these threads may hold.
bool survives(const std::function<void()>& attempt, unsigned int most_seconds = 5);

}  // namespace cuboid::detail
