#pragma once

#include <cuboid/collectives/group.hpp>
#include <cuboid/collectives/transport/transport.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuboid {

class Execution;

/// Runs the collectives of one rank: whatever is in flight progresses whenever the engine is
/// called, by whichever collective. One per transport; belongs to the rank's thread.
class Engine {
 public:
  explicit Engine(std::unique_ptr<Transport> transport);

  Transport& transport() { return *transport_; }
  const std::shared_ptr<ContextNumbers>& contexts() const { return contexts_; }

  /// Takes a started execution along until it is done.
  void add(std::shared_ptr<Execution> execution);

  /// Lets the network and all executions in flight advance as far as they can. Returns whether
  /// anything happened.
  bool progress();

  /// Progresses until `execution` is done or `until` has passed; returns whether it is done. An
  /// execution in which nothing has moved for the environment's timeout fails.
  bool wait(Execution& execution, std::chrono::steady_clock::time_point until);

 private:
  std::unique_ptr<Transport> transport_;
  std::shared_ptr<ContextNumbers> contexts_;
  std::vector<std::shared_ptr<Execution>> active_;
  std::uint64_t failures_seen_ = 0;
};

}  // namespace cuboid
