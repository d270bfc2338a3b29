#pragma once

#include <cuboid/collectives/request.hpp>

#include <memory>
#include <string_view>

namespace cuboid {

/// A collective made ready to run many times on the same buffers: its algorithm is chosen, its
/// forest proven, its steps laid out. Starting it allocates nothing. Made by the plan_… functions,
/// which are collective in the sense that every rank makes the same plan; start() and run() are
/// collective. One run at a time.
class CollectivePlan {
 public:
  /// Starts the collective. Throws Error(invalid_argument) when the last run is still in flight.
  Request start();
  /// start() and wait().
  void run() { start().wait(); }

  /// The algorithm in use, e.g. "binomial".
  std::string_view algorithm() const;

  explicit CollectivePlan(std::shared_ptr<Execution> execution)
      : execution_(std::move(execution)) {}

 private:
  std::shared_ptr<Execution> execution_;
};

}  // namespace cuboid
