#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace cuboid::detail::tools {

/// A progress line on a terminal: a bar, the current step and the elapsed seconds. It appears after
/// a second and is erased at the end. The terminal is standard error or, under a launcher, which
/// makes a pipe of that, the one that the process belongs to. CUBOID_PROGRESS_BAR: `auto`; `off`;
/// `on` writes to standard error even if that is none.
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

  /// Says what the step does now.
  void now(std::string name);

  /// Calls `print` while no line stands on the terminal, where what it prints may appear.
  void without_bar(const std::function<void()>& print);

 private:
  void redraw_until_stopped();
  void erase();
  std::string line(double seconds) const;

  int steps_;
  int begun_ = 0;
  std::string name_;
  int terminal_ = -1;     // its descriptor
  bool opened_ = false;   // by this object
  bool visible_ = false;  // the line stands there
  bool printed_ = false;  // something else since it was last drawn
  bool stopping_ = false;
  std::mutex mutex_;
  std::condition_variable stop_;
  std::thread drawer_;
};

}  // namespace cuboid::detail::tools
