#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace cuboid::detail::drop_in {

/// A lock that lets one thread at a time use Cuboid, in order of arrival. A thread that already
/// holds the lock, as when MPI's progress calls it while Cuboid waits, is refused by try_lock()
/// instead of deadlocking.
class TicketLock {
 public:
  bool try_lock() {
    std::uint32_t free = serving_.load(std::memory_order_acquire);
    return next_.compare_exchange_strong(free, free + 1, std::memory_order_acq_rel);
  }
  void lock() {
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_acq_rel);
    for (std::uint32_t now = serving_; now != mine; now = serving_) serving_.wait(now);
  }
  void unlock() {
    serving_.fetch_add(1, std::memory_order_release);
    serving_.notify_all();
  }

 private:
  std::atomic<std::uint32_t> next_ = 0;
  std::atomic<std::uint32_t> serving_ = 0;
};

/// The lock of this process: std::lock_guard guard(cuboid_lock()).
TicketLock& cuboid_lock();

}  // namespace cuboid::detail::drop_in
