#pragma once

#include <cuboid/export.hpp>

#include <chrono>
#include <memory>

namespace cuboid {

namespace detail {
class Execution;
}

/// A collective in flight. Its buffers must not be touched until it is complete. Move-only. The
/// destructor of an incomplete request waits for it and logs a failure at level "warn". At most 256
/// consecutive calls of a communicator are in flight: starting another waits for the oldest.
class CUBOID_API Request {
 public:
  /// A complete request.
  Request() = default;
  explicit Request(std::shared_ptr<detail::Execution> execution);
  Request(Request&&) noexcept = default;
  Request& operator=(Request&& other) noexcept;
  ~Request();

  /// Makes progress and returns whether the collective is complete on this rank. Throws as wait().
  bool test();

  /// Waits until the collective is complete on this rank. Throws Error(timeout) if nothing moved
  /// for CUBOID_TIMEOUT seconds and Error(peer_failed) if a peer died. After either the caller may
  /// use the buffers again, but the communicator is unusable.
  void wait();

  /// Waits for at most `duration`. Returns false if the collective is still in flight. Throws as
  /// wait().
  bool wait_for(std::chrono::duration<double> duration);

 private:
  std::shared_ptr<detail::Execution> execution_;
};

}  // namespace cuboid
