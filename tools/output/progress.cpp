#include "tools/output/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail::tools {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_redraws{200};
constexpr std::chrono::seconds silence_at_first{1};

void write_to_terminal(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(int steps, bool enabled) : steps_(std::max(steps, 1)) {
  if (enabled && isatty(STDERR_FILENO) != 0) {
    drawer_ = std::thread([this] { redraw_until_stopped(); });
  }
}

Progress::~Progress() {
  if (!drawer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  drawer_.join();
}

void Progress::step(std::string name) {
  const std::lock_guard lock(mutex_);
  ++begun_;
  name_ = std::move(name);
}

void Progress::redraw_until_stopped() {
  const auto start = Clock::now();
  std::unique_lock lock(mutex_);
  if (stop_.wait_for(lock, silence_at_first, [this] { return stopping_; })) return;
  do {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    write_to_terminal("\r\x1b[K" + line(seconds));
  } while (!stop_.wait_for(lock, between_redraws, [this] { return stopping_; }));
  write_to_terminal("\r\x1b[K");
}

std::string Progress::line(double seconds) const {
  constexpr int width = 30;
  const int filled = std::clamp((begun_ - 1) * width / steps_, 0, width);
  return fmt::format("[{:#<{}}{:.<{}}] {}/{} {} {:.0f} s", "", filled, "", width - filled,
                     std::min(begun_, steps_), steps_, name_, seconds);
}

}  // namespace cuboid::detail::tools
