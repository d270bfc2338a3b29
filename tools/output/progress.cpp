#include "tools/output/progress.hpp"

#include <cuboid/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail::tools {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_redraws{200};
/// At first, and after something was printed: what a launcher passes on comes a little later.
constexpr std::chrono::seconds silence{1};

std::string_view wanted() {
  const char* const value = std::getenv("CUBOID_PROGRESS_BAR");
  return value == nullptr ? "auto" : value;
}

}  // namespace

Progress::Progress(int steps, bool enabled) : steps_(std::max(steps, 1)) {
  if (!enabled || wanted() == "off") return;
  if (wanted() == "on" || isatty(STDERR_FILENO) != 0) {
    terminal_ = STDERR_FILENO;
  } else if (MpiSession::launched()) {
    terminal_ = open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC);
    opened_ = terminal_ >= 0;
  }
  if (terminal_ >= 0) drawer_ = std::thread([this] { redraw_until_stopped(); });
}

Progress::~Progress() {
  if (drawer_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    stop_.notify_one();
    drawer_.join();
  }
  if (opened_) close(terminal_);
}

void Progress::step(std::string name) {
  const std::lock_guard lock(mutex_);
  ++begun_;
  name_ = std::move(name);
}

void Progress::now(std::string name) {
  const std::lock_guard lock(mutex_);
  name_ = std::move(name);
}

void Progress::without_bar(const std::function<void()>& print) {
  const std::lock_guard lock(mutex_);
  erase();
  printed_ = true;
  print();
}

void Progress::redraw_until_stopped() {
  const auto start = Clock::now();
  std::unique_lock lock(mutex_);
  printed_ = true;
  const auto stopped_within = [&](auto time) {
    return stop_.wait_for(lock, time, [this] { return stopping_; });
  };
  while (!stopped_within(std::exchange(printed_, false) ? Clock::duration(silence)
                                                        : Clock::duration(between_redraws))) {
    if (printed_) continue;
    const std::string text =
        "\r\x1b[K" + line(std::chrono::duration<double>(Clock::now() - start).count());
    visible_ = write(terminal_, text.data(), text.size()) > 0;
  }
  erase();
}

void Progress::erase() {
  if (!std::exchange(visible_, false)) return;
  constexpr std::string_view to_start_of_empty_line = "\r\x1b[K";
  [[maybe_unused]] const ssize_t written =
      write(terminal_, to_start_of_empty_line.data(), to_start_of_empty_line.size());
}

std::string Progress::line(double seconds) const {
  constexpr int width = 30;
  const int filled = std::clamp((begun_ - 1) * width / steps_, 0, width);
  return fmt::format("[{:#<{}}{:.<{}}] {}/{} {} {:.0f} s", "", filled, "", width - filled,
                     std::min(begun_, steps_), steps_, name_, seconds);
}

}  // namespace cuboid::detail::tools
