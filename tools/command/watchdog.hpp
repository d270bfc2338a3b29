#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace cuboid::detail::tools {

/// Ends the process with a line on standard error if a call of an external library does not return
/// in time: MPI's calls have no deadlines.
class Watchdog {
 public:
  /// @param calls  what is watched, for the line, e.g. "MPI_Init".
  /// @param limit  for each call, which may take a quarter longer.
  Watchdog(std::string calls, std::chrono::duration<double> limit);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// A call that is under way as long as this exists. One at a time, by one thread. Takes a few
  /// instructions: calls are measured with it.
  class WatchedCall {
   public:
    explicit WatchedCall(Watchdog& watchdog) : watchdog_(watchdog) { watchdog_.count(); }
    ~WatchedCall() { watchdog_.count(); }
    WatchedCall(const WatchedCall&) = delete;
    WatchedCall& operator=(const WatchedCall&) = delete;

   private:
    Watchdog& watchdog_;
  };

 private:
  void watch(const std::string& calls, std::chrono::duration<double> limit);
  void count() {
    changes_.store(changes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> changes_ = 0;  // odd while a call is under way
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace cuboid::detail::tools
