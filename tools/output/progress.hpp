#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace cuboid::detail::tools {

/// A progress line on a terminal: a bar, the current step and the elapsed seconds. The line appears
/// after a second and is erased at the end. Nothing is written if standard error is not a terminal.
class Progress {
 public:
  /// @param steps    the number of step() calls to come.
  /// @param enabled  false: stay silent, even on a terminal.
  Progress(int steps, bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Announces the next step.
  void step(std::string name);

 private:
  void redraw_until_stopped();
  std::string line(double seconds) const;

  int steps_;
  int begun_ = 0;
  std::string name_;
  bool stopping_ = false;
  std::mutex mutex_;
  std::condition_variable stop_;
  std::thread drawer_;
};

}  // namespace cuboid::detail::tools
