#pragma once

#include "base/recent_cache.hpp"
#include "collectives/engine/execution.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace cuboid::detail {

/// A message that a rank sends, one that it receives, or both at once: all that its execution
/// depends on but where the bytes lie.
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

/// Executions of messages, kept for equal ones: laying a message out anew takes longer than a short
/// one travels within a node. Keeps those of the most recently used calls.
class MessageCache {
 public:
  /// One that does not run; nullptr if there is none. Nobody else has it until it is let go.
  std::shared_ptr<Execution> find(const MessageCall& call);
  void add(const MessageCall& call, const std::shared_ptr<Execution>& execution);

 private:
  struct CachedMessage {
    std::vector<std::shared_ptr<Execution>> executions;
    std::size_t next = 0;  ///< the one that was started longest ago
  };
  static constexpr std::size_t most_at_once = 128;
  RecentCache<MessageCall, CachedMessage> messages_{32};
};

}  // namespace cuboid::detail
