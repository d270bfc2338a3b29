#pragma once

#include <atomic>
#include <cstdint>

namespace cuboid::detail::drop_in {

/// Cuboid takes one thread at a time, in the order in which they come. One that comes again by
/// itself, as MPI's progress does while Cuboid waits, is sent away, not deadlocked.
class Gate {
 public:
  bool try_enter() {
    std::uint32_t free = serving_.load(std::memory_order_acquire);
    return next_.compare_exchange_strong(free, free + 1, std::memory_order_acq_rel);
  }
  void enter() {
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_acq_rel);
    for (std::uint32_t now = serving_; now != mine; now = serving_) serving_.wait(now);
  }
  void leave() {
    serving_.fetch_add(1, std::memory_order_release);
    serving_.notify_all();
  }

 private:
  std::atomic<std::uint32_t> next_ = 0;
  std::atomic<std::uint32_t> serving_ = 0;
};

/// The one of this process.
Gate& gate();

/// Inside for as long as it lives.
class Inside {
 public:
  Inside() { gate().enter(); }
  ~Inside() { gate().leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace cuboid::detail::drop_in
