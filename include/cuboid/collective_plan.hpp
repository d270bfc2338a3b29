#pragma once

#include <cuboid/export.hpp>
#include <cuboid/request.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace cuboid {

/// A persistent collective: its algorithm is chosen and its schedule compiled once, then it runs
/// many times on the same buffers. Starting it allocates nothing. The plan_… functions make plans;
/// every rank must make the same plan. start() and run() are collective. A plan has one run in
/// flight at a time. Plans of point-to-point messages are made and started by sender and receiver
/// only.
class CUBOID_API CollectivePlan {
 public:
  /// Starts a run. Throws Error(invalid_argument) if the last run is still in flight.
  Request start();
  /// Sets other buffers for the next runs. They must have the sizes of the original ones, and be in
  /// place if and only if those were. Throws Error(invalid_argument) if the last run is still in
  /// flight, or if the original buffers were in place and these are not.
  void rebind(const void* input, void* output);
  /// Starts a run and waits for it.
  void run() { start().wait(); }

  /// The algorithm in use, e.g. "binomial".
  std::string_view algorithm() const;

  /// @param before_start  called at the beginning of start(), if given.
  explicit CollectivePlan(std::shared_ptr<detail::Execution> execution,
                          std::function<void()> before_start = {})
      : execution_(std::move(execution)), before_start_(std::move(before_start)) {}

 private:
  std::shared_ptr<detail::Execution> execution_;
  std::function<void()> before_start_;
};

}  // namespace cuboid
