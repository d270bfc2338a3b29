#include "tools/command/watchdog.hpp"

#include "tools/command/command.hpp"

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

Watchdog::Watchdog(std::string calls, std::chrono::duration<double> limit)
    : thread_([this, calls = std::move(calls), limit] { watch(calls, limit); }) {}

void Watchdog::watch(const std::string& calls, std::chrono::duration<double> limit) {
  constexpr int looks = 4;
  std::unique_lock lock(mutex_);
  std::uint64_t seen = 0;
  for (int unchanged = 0; unchanged < looks;) {
    if (changed_.wait_for(lock, limit / looks, [this] { return ended_; })) return;
    const std::uint64_t now = changes_.load(std::memory_order_relaxed);
    const bool under_way = now % 2 == 1;
    unchanged = under_way && std::exchange(seen, now) == now ? unchanged + 1 : 0;
  }
  print_error(
      fmt::format("{} has not returned within {} s: not all ranks take part, or MPI cannot "
                  "connect them; look at the launcher's messages, or set "
                  "CUBOID_TIMEOUT to a longer time",
                  calls, limit.count()));
  std::_Exit(static_cast<int>(ExitCode::failed));
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

}  // namespace cuboid::detail::tools
