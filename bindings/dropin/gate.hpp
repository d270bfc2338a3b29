#pragma once

#include <atomic>
#include <cstdint>

namespace cuboid::detail::drop_in {

/// A lock that lets one thread at a time use Cuboid, in order of arrival. A thread that already
/// holds the lock, as when MPI's progress calls it while Cuboid waits, is refused by try_enter()
/// instead of deadlocking.
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

/// The gate of this process.
Gate& gate();

/// Holds the gate for the lifetime of the object.
class Inside {
 public:
  Inside() { gate().enter(); }
  ~Inside() { gate().leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace cuboid::detail::drop_in
