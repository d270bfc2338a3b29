#pragma once

#include <cuboid/communicator.hpp>

#include "base/clock.hpp"
#include "collectives/node/waiting.hpp"

#include <span>
#include <string_view>

namespace cuboid::detail {

/// A wait until other ranks have written something to memory that the ranks of a node share. No
/// message tells of it. Like a wait for messages, it notices that a rank has failed, and it has a
/// deadline.
class MemoryWait {
 public:
  /// @param communicator  must outlive the object
  /// @param operation     in words, for errors; must outlive the object
  MemoryWait(const Communicator& communicator, std::string_view operation)
      : communicator_(communicator), operation_(operation) {}

  /// Starts the wait over, because something has moved.
  void reset();
  /// Lets other ranks run for a moment and collectives in flight advance. Returns true if the wait
  /// has lasted so long that the caller should look_after() the ranks that it waits for.
  bool pause();
  /// Throws Error(peer_failed) if a rank of the communicator has failed or one of `peers` has left,
  /// and Error(timeout) if nothing has moved for CUBOID_TIMEOUT. The communicator is then unusable.
  /// @param peers  the ranks that it waits for, by their numbers in the communicator. Until the
  ///         next reset() this list may only shrink.
  void look_after(std::span<const int> peers);

 private:
  void throw_if_failed(std::span<const int> peers);
  [[noreturn]] void time_out(std::span<const int> peers);
  [[noreturn]] void fail(ErrorCode code, std::string_view what);

  const Communicator& communicator_;
  std::string_view operation_;
  Yields yields_;
  int attempts_ = 0;
  Clock::time_point since_;
  bool watched_ = false;
  bool missed_ = false;  // a rank that it waits for was gone at the last look
};

}  // namespace cuboid::detail
