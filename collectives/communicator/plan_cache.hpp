#pragma once

#include "base/recent_cache.hpp"
#include "collectives/engine/execution.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// A message that a rank sends, a message that it receives, or both at once. It holds everything
/// that the execution depends on except the addresses.
struct MessageCall {
  bool sends = false;
  bool receives = false;
  int destination = 0;
  int source = 0;
  int tag = 0;
  std::size_t outgoing_bytes = 0;
  std::size_t incoming_bytes = 0;
  bool operator==(const MessageCall&) const = default;
};

/// Executions of messages, kept for equal calls: making an execution takes longer than a short
/// message within a node. The cache keeps the calls that were used last.
class MessageCache {
 public:
  /// An execution of this call that does not run; nullptr if there is none. Nobody else uses it
  /// until the caller lets go of it.
  std::shared_ptr<Execution> find(const MessageCall& call);
  void add(const MessageCall& call, const std::shared_ptr<Execution>& execution);

 private:
  struct CachedMessage {
    std::vector<std::shared_ptr<Execution>> executions;
    std::size_t next = 0;  ///< the execution that was started longest ago
  };
  static constexpr std::size_t most_at_once = 128;
  RecentCache<MessageCall, CachedMessage> messages_{32};
};

/// A communicator's cache of planned calls and their executions: a repeated call costs a look-up.
/// It keeps the calls that were used last.
class PlanCache {
 public:
  struct CachedPlan {
    std::shared_ptr<const PlannedCollective> planned;
    std::vector<std::shared_ptr<Execution>> executions;
  };

  /// True if a cached execution does not run and nobody else holds it.
  static bool is_idle(const std::shared_ptr<Execution>& execution);

  /// The entry of a call; nullptr if the call is not cached. Valid until the next add().
  CachedPlan* find(const Collective& collective) { return plans_.find(collective); }
  CachedPlan& add(const Collective& collective, std::shared_ptr<const PlannedCollective> planned) {
    return plans_.add(collective, {std::move(planned), {}});
  }

  /// If all executions together hold more scratch memory than most_scratch_bytes, lets go of
  /// executions that do not run, the longest unused first.
  /// @param but  the entry whose executions stay
  void free_scratch(const CachedPlan& but);
  std::size_t scratch_bytes() const;

  /// Without this limit, calls of ever new lengths would keep memory that they hardly use again.
  static constexpr std::size_t most_scratch_bytes = 4 << 20;

 private:
  RecentCache<Collective, CachedPlan> plans_{64};
};

}  // namespace cuboid::detail
