#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace cuboid::detail::tools {

/// Ends the process with a line on standard error where a call of somebody else's library does not
/// return in time: MPI starts and stops with all ranks or never.
class Watchdog {
 public:
  /// @param call  for the line, e.g. "MPI_Init".
  Watchdog(std::string call, std::chrono::duration<double> limit);
  /// The call has returned.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool returned_ = false;
  std::thread thread_;
};

}  // namespace cuboid::detail::tools
