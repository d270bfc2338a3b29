#pragma once

#include <cuboid/export.hpp>
#include <cuboid/on_stream.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>

namespace cuboid {

namespace detail {
class Execution;
}

/// A collective in flight. Its buffers must not be touched until it is complete. Move-only. The
/// destructor of an incomplete request waits for it and logs a failure at level "warn". But if an
/// exception ends the request's scope, the destructor ends the collective on this rank, and the
/// communicator is unusable for this rank: tell the other ranks by revoke() if the exception is
/// caught. At most 256 consecutive calls of a communicator are in flight: starting another call
/// waits for the oldest.
class CUBOID_API Request {
 public:
  /// A complete request.
  Request() = default;
  /// Internal: made by the start_… functions and CollectivePlan::start().
  explicit Request(std::shared_ptr<detail::Execution> execution);
  Request(Request&&) noexcept = default;
  /// Exchanges the two requests. The collective that this request held ends when `other` is
  /// destroyed.
  Request& operator=(Request&& other) noexcept;
  ~Request();

  /// Makes progress and returns true if the collective is complete on this rank. Throws as wait().
  bool test();

  /// Waits until the collective is complete on this rank. Throws Error(timeout) if nothing moved
  /// for CUBOID_TIMEOUT seconds and Error(peer_failed) if a peer died. After either error the
  /// caller may use the buffers again, but the communicator is unusable.
  void wait();

  /// Waits as wait() until this rank's part is complete on the host, but not until the result has
  /// been copied to a device: work that is put into the stream afterwards waits for that. The
  /// buffers belong to the stream's work from then on. Without buffers on a device it is wait().
  /// Throws as wait(); a copy that fails later is an error of the stream.
  void wait(OnStream stream);

  /// Waits for at most `duration`. Returns false if the collective is still in flight. Throws as
  /// wait().
  bool wait_for(std::chrono::duration<double> duration);

 private:
  std::shared_ptr<detail::Execution> execution_;
  int exceptions_before_ = std::uncaught_exceptions();
};

/// A persistent collective. Its algorithm is chosen and its schedule is compiled once; then it runs
/// many times on the same buffers, which the caller keeps. Starting it allocates nothing. The
/// plan_… functions make plans; every rank must make the same plan. start() and run() are
/// collective. A plan has at most one run in flight. Plans of point-to-point messages are made and
/// started by sender and receiver only.
class CUBOID_API CollectivePlan {
 public:
  /// Starts a run. Throws Error(invalid_argument) if the last run is still in flight. The request
  /// may outlive the plan.
  /// @param after  the run begins after the work that this stream holds now
  Request start(OnStream after = {});
  /// Sets other buffers for the next runs. They must have the sizes of the original buffers, and be
  /// in place if and only if the original buffers were. Throws Error(invalid_argument) if the last
  /// run is still in flight, or if the original buffers were in place and these are not.
  void rebind(const void* input, void* output);
  /// Starts a run and waits for it. Throws as start() and Request::wait().
  void run();

  /// The algorithm in use, e.g. "binomial". Valid as long as the plan.
  std::string_view algorithm() const;

  /// Internal: made by the plan_… functions.
  /// @param before_start  called at the beginning of start(), if given.
  explicit CollectivePlan(std::shared_ptr<detail::Execution> execution,
                          std::function<void()> before_start = {})
      : execution_(std::move(execution)), before_start_(std::move(before_start)) {}

 private:
  std::shared_ptr<detail::Execution> execution_;
  std::function<void()> before_start_;
};

}  // namespace cuboid
