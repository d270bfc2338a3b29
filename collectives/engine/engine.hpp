#pragma once

#include "collectives/transport/group.hpp"
#include "collectives/transport/transport.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace cuboid::detail {

class Execution;

/// A message has so much time for its bytes, as long as something moves: no network is slower.
inline constexpr double slowest_bytes_per_second = 1e6;

/// Runs the collectives of one rank: whatever is in flight progresses whenever the engine is
/// called, by whichever collective, and with CUBOID_PROGRESS=thread in between by a helper thread.
/// One per transport; belongs to the rank's thread.
class Engine : public std::enable_shared_from_this<Engine> {
 public:
  explicit Engine(std::unique_ptr<Transport> transport);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Keeps the helper thread out for as long as it lives. Whoever touches the engine, its transport
  /// or an execution has one; they may be nested. Nothing where there is no helper.
  class Turn {
   public:
    Turn() = default;

   private:
    friend Engine;
    std::shared_ptr<Engine> engine_;  // outlives the lock
    std::unique_lock<std::recursive_mutex> lock_;
  };
  [[nodiscard]] Turn lock();

  Transport& transport() { return *transport_; }
  const std::shared_ptr<ContextNumbers>& contexts() const { return contexts_; }

  /// With CUBOID_PROGRESS=thread: throws Error(invalid_argument) while another thread waits for a
  /// collective of this rank. It holds the engine as long, and this one's would hold up its peers.
  void require_one_thread() const;

  /// Takes a started execution along until it is done. Not its owner: counting owners takes atomic
  /// instructions, and one of those waits until what was just sent has left the core.
  void add(Execution& execution);
  /// Waits for collectives of a group that its next one would be mistaken for.
  void end_those_too_old(const Group& group);
  /// Lets go of an execution that is destroyed before it is done.
  void forget(Execution& execution);

  /// Lets the network and all executions in flight advance as far as they can. Returns whether
  /// anything happened.
  bool progress();

  /// Progresses until `execution` is done or `until` has passed; returns whether it is done. An
  /// execution in which nothing has moved for the environment's timeout fails.
  bool wait(Execution& execution, std::chrono::steady_clock::time_point until);

  /// One look at an execution by a caller who waits in a loop of its own: progresses, and lets it
  /// fail as wait() would where nothing has moved for the timeout. Longer pauses between looks are
  /// not waiting.
  void look(Execution& execution);

 private:
  struct Helper;
  void help();

  std::unique_ptr<Transport> transport_;
  std::shared_ptr<ContextNumbers> contexts_;
  std::vector<Execution*> active_;
  std::uint64_t failures_seen_ = 0;
  std::uint64_t movements_ = 0;     // of the transport
  std::unique_ptr<Helper> helper_;  // only where it is asked for
};

}  // namespace cuboid::detail
