#pragma once

#include "base/recent_cache.hpp"
#include "collectives/engine/execution.hpp"

#include <cstddef>
#include <memory>
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

}  // namespace cuboid::detail
