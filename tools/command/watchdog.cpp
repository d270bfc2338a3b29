#include "tools/command/watchdog.hpp"

#include "tools/command/command.hpp"

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

Watchdog::Watchdog(std::string call, std::chrono::duration<double> limit)
    : thread_([this, call = std::move(call), limit] {
        std::unique_lock lock(mutex_);
        for (int seen = -1; seen != beginning_;) {
          seen = beginning_;
          if (changed_.wait_for(lock, limit, [this] { return returned_; })) return;
        }
        print_error(
            fmt::format("{} has not returned within {} s: not all ranks take part, or MPI cannot "
                        "connect them; look at the launcher's messages, or set "
                        "CUBOID_TIMEOUT to a longer time",
                        call, limit.count()));
        std::_Exit(static_cast<int>(ExitCode::failed));
      }) {}

void Watchdog::again() {
  const std::lock_guard lock(mutex_);
  ++beginning_;
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    returned_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

}  // namespace cuboid::detail::tools
