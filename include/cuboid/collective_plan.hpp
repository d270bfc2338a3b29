#pragma once

#include <cuboid/export.hpp>
#include <cuboid/request.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace cuboid {

/// A collective made ready to run many times on the same buffers: its algorithm is chosen, its
/// forest proven, its steps laid out. Starting it allocates nothing. Made by the plan_… functions,
/// which are collective in the sense that every rank makes the same plan; start() and run() are
/// collective. One run at a time. Point-to-point messages (point_to_point.hpp) have plans as well,
/// which only sender and receiver make and start.
class CUBOID_API CollectivePlan {
 public:
  /// Starts the collective. Throws Error(invalid_argument) when the last run is still in flight.
  Request start();
  /// Other buffers for the next runs, as long as those it was made for, and in place if and only if
  /// they were. Throws Error(invalid_argument) when the last run is still in flight, or where those
  /// were in place and these are not.
  void rebind(const void* input, void* output);
  /// start() and wait().
  void run() { start().wait(); }

  /// The algorithm in use, e.g. "binomial".
  std::string_view algorithm() const;

  /// @param before_start  called by start() first, where it is given.
  explicit CollectivePlan(std::shared_ptr<detail::Execution> execution,
                          std::function<void()> before_start = {})
      : execution_(std::move(execution)), before_start_(std::move(before_start)) {}

 private:
  std::shared_ptr<detail::Execution> execution_;
  std::function<void()> before_start_;
};

}  // namespace cuboid
