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
struct DeviceAccess;

/// The speed that a message is assumed to have at least while data moves: no network is slower.
inline constexpr double slowest_bytes_per_second = 1e6;

/// Runs the collectives of one rank. All executions in flight progress whenever any collective
/// calls the engine. Between calls a helper lets them progress: with CUBOID_PROGRESS=thread it is a
/// thread; otherwise it is MPI while the program waits in MPI, if the transport can work that way.
/// Each transport has one engine, which belongs to the rank's thread.
class Engine {
 public:
  explicit Engine(std::unique_ptr<Transport> transport);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Keeps the helper out for the lock's lifetime. A thread must hold a lock to touch the engine,
  /// its transport or an execution. Locks may be nested. Without a helper a lock does nothing. The
  /// engine must outlive its locks: counted references would cost more than a short message.
  class Lock {
   public:
    explicit Lock(Engine& engine) : helped_(engine.enter() ? &engine : nullptr) {}
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() {
      if (helped_ != nullptr) helped_->leave();
    }

   private:
    Engine* helped_;  // nullptr without a helper
  };
  [[nodiscard]] Lock lock() { return Lock(*this); }

  Transport& transport() { return *transport_; }
  const std::shared_ptr<ContextNumbers>& contexts() const { return contexts_; }
  /// What this rank's runs on devices share; made at the first call.
  DeviceAccess& device_access();

  /// Says that from now on other ranks may need this rank's work between its calls, because it has
  /// started something or serves a window. Must not be called by a caller that holds a lock, nor
  /// from inside the engine's work.
  void work_between_calls();
  /// True if work_between_calls() has nothing to do.
  bool works_between_calls() const { return helper_ != nullptr || !transport_->can_work_in_mpi(); }

  /// With a helper: throws Error(invalid_argument) if another thread waits for a collective of this
  /// rank. That thread holds the engine as long as it waits, and a collective of this thread would
  /// meanwhile hold up its peers.
  void require_one_thread() const;

  /// Sets a function that is called now and then while this rank waits. What it throws ends the
  /// wait, and the ranks that wait for this rank are told of it.
  void interrupt_by(std::function<void()> check) { interruption_ = std::move(check); }
  /// Throws the exception that is to interrupt this rank's waits, if there is one.
  void throw_if_interrupted() const {
    if (interruption_) interruption_();
  }

  /// Lets a started execution progress until it is done. The engine does not own it: reference
  /// counts need atomic instructions, which wait until the stores of the message just sent have
  /// left the core.
  void add(Execution& execution);
  /// Waits for those collectives of a group whose tags the group's next collective would reuse.
  void end_those_too_old(const Group& group);
  /// Forgets an execution that ends outside of its wait, or that is destroyed before it is done.
  void forget(Execution& execution);

  /// Advances the network and all executions in flight as far as possible. Returns true if anything
  /// happened.
  bool progress();

  /// Progresses until `execution` is done or `until` has passed; returns true if it is done. If
  /// nothing has moved in an execution for the environment's timeout, the execution fails.
  bool wait(Execution& execution, Clock::time_point until);

  /// One poll of an execution, for a caller with a loop of its own. Progresses, and fails like
  /// wait() if nothing has moved for the timeout. Longer pauses between polls do not count as
  /// waiting.
  void look(Execution& execution);

 private:
  struct Helper;
  void help();
  bool help_in_mpi();
  bool progress_alone();
  /// Waits until this thread may work and the helper may not. Returns false without a helper.
  bool enter();
  void leave();
  bool look_at_boards();
  bool look_closely(Execution& execution);
  /// An execution that waits for something on its board; nullptr if none does.
  const Execution* waiting_on_board() const;
  /// True if an execution waits for copies between a device and the host.
  bool awaits_device() const;
  /// One pause of a wait; see Transport::pause().
  Pause pause(Backoff& backoff, Clock::time_point until);

  std::unique_ptr<Transport> transport_;
  std::shared_ptr<ContextNumbers> contexts_;
  std::unique_ptr<DeviceAccess> device_access_;
  std::vector<Execution*> active_;
  std::uint64_t failures_seen_ = 0;
  std::uint64_t movements_ = 0;  // the number of progress() calls in which something moved
  bool board_moved_ = false;     // something on a board was seen since the last progress()
  std::function<void()> interruption_;
  std::unique_ptr<Helper> helper_;  // made only if it is asked for
};

}  // namespace cuboid::detail
