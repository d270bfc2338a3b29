#pragma once

#include <cuboid/export.hpp>

#include <chrono>
#include <memory>

namespace cuboid {

namespace detail {
class Execution;
}

/// A collective in flight. The buffers it was started on stay the collective's until it is
/// complete. Move-only; one that is destroyed before completion waits for it (and reports a failure
/// at log level "warn"). Starting another collective of the communicator waits for one that is 256
/// calls old.
class CUBOID_API Request {
 public:
  /// Already complete.
  Request() = default;
  explicit Request(std::shared_ptr<detail::Execution> execution);
  Request(Request&&) noexcept = default;
  Request& operator=(Request&& other) noexcept;
  ~Request();

  /// Makes progress and says whether the collective is complete on this rank. Throws what wait()
  /// throws.
  bool test();

  /// Returns once the collective is complete on this rank. Throws Error(timeout) when nothing moved
  /// for CUBOID_TIMEOUT seconds and Error(peer_failed) when a peer died; the buffers are the
  /// caller's again, the communicator is unusable.
  void wait();

  /// Waits at most `duration` seconds; false when the collective is still in flight, and stays so.
  bool wait_for(std::chrono::duration<double> duration);

 private:
  std::shared_ptr<detail::Execution> execution_;
};

}  // namespace cuboid
