#pragma once

#include "base/clock.hpp"
#include "collectives/transport/group.hpp"
#include "collectives/transport/transport.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace cuboid::detail {

class Execution;

/// The time per byte granted to a message while something moves: no network is slower.
inline constexpr double slowest_bytes_per_second = 1e6;

/// Runs the collectives of one rank. All executions in flight progress whenever any collective
/// calls the engine, and between calls by a helper: a thread with CUBOID_PROGRESS=thread; otherwise
/// MPI while the program waits in it, if it does that. One per transport; belongs to the rank's
/// thread.
class Engine : public std::enable_shared_from_this<Engine> {
 public:
  explicit Engine(std::unique_ptr<Transport> transport);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Excludes the helper during its lifetime. Required to touch the engine, its transport or an
  /// execution; may be nested. Does nothing without a helper.
  class Lock {
   public:
    Lock() = default;
    Lock(Lock&&) noexcept = default;
    Lock& operator=(Lock&&) = delete;
    ~Lock() {
      if (engine_) engine_->left();
    }

   private:
    friend Engine;
    std::shared_ptr<Engine> engine_;  // outlives the lock
    std::unique_lock<std::recursive_mutex> lock_;
  };
  [[nodiscard]] Lock lock();

  Transport& transport() { return *transport_; }
  const std::shared_ptr<ContextNumbers>& contexts() const { return contexts_; }

  /// From now on other ranks may need this one's work between its calls: it has started something,
  /// or serves a window. Not inside a call that works or a lock.
  void work_between_calls();

  /// With a helper: throws Error(invalid_argument) while another thread waits for a
  /// collective of this rank. It holds the engine as long, and this one's would hold up its peers.
  void require_one_thread() const;

  /// Has `check` called now and then while this rank waits; what it throws ends the wait, and is
  /// told to those who wait for this rank.
  void interrupt_by(std::function<void()> check) { interruption_ = std::move(check); }
  /// Throws what interrupts this rank's waits.
  void throw_if_interrupted() const {
    if (interruption_) interruption_();
  }

  /// Progresses a started execution until it is done. Does not own it: reference counting needs
  /// atomic instructions, which wait until what was just sent has left the core.
  void add(Execution& execution);
  /// Waits for collectives of a group whose tags its next one would reuse.
  void end_those_too_old(const Group& group);
  /// Forgets an execution that ends outside of its wait, or is destroyed before it is done.
  void forget(Execution& execution);

  /// Advances the network and all executions in flight as far as possible. Returns whether anything
  /// happened.
  bool progress();

  /// Progresses until `execution` is done or `until` has passed; returns whether it is done. An
  /// execution in which nothing has moved for the environment's timeout fails.
  bool wait(Execution& execution, Clock::time_point until);

  /// One poll of an execution by a caller with its own loop: progresses, and fails as wait() would
  /// if nothing has moved for the timeout. Longer pauses between polls do not count as waiting.
  void look(Execution& execution);

 private:
  struct Helper;
  void help();
  bool help_in_mpi();
  bool progress_alone();
  void left();

  std::unique_ptr<Transport> transport_;
  std::shared_ptr<ContextNumbers> contexts_;
  std::vector<Execution*> active_;
  std::uint64_t failures_seen_ = 0;
  std::uint64_t movements_ = 0;  // of the transport
  std::function<void()> interruption_;
  std::unique_ptr<Helper> helper_;  // only where it is asked for
};

}  // namespace cuboid::detail
