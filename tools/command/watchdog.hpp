#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace cuboid::detail::tools {

/// Ends the process with a line on standard error if a call of an external library does not return
/// in time: MPI_Init and MPI_Finalize return only when all ranks have called them.
class Watchdog {
 public:
  /// @param call  the call's name for the line, e.g. "MPI_Init".
  Watchdog(std::string call, std::chrono::duration<double> limit);
  /// For one of several calls that begins now: it has the limit for itself, at most twice.
  void again();
  /// To be destroyed when the call has returned.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool returned_ = false;
  int beginning_ = 0;
  std::thread thread_;
};

}  // namespace cuboid::detail::tools
