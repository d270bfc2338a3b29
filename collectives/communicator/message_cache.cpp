#include "collectives/communicator/message_cache.hpp"

namespace cuboid::detail {

std::shared_ptr<Execution> MessageCache::find(const MessageCall& call) {
  CachedMessage* const message = messages_.find(call);
  if (message == nullptr) return nullptr;
  const std::shared_ptr<Execution>& oldest = message->executions[message->next];
  if (oldest.use_count() != 1 || !oldest->done()) return nullptr;
  if (++message->next == message->executions.size()) message->next = 0;
  return oldest;
}

void MessageCache::add(const MessageCall& call, const std::shared_ptr<Execution>& execution) {
  auto& [executions, next] = messages_.get(call, [] { return CachedMessage(); });
  if (executions.size() == most_at_once) return;
  // The new execution goes before the oldest one, which still runs.
  executions.insert(executions.begin() + static_cast<std::ptrdiff_t>(next), execution);
  if (++next == executions.size()) next = 0;
}

}  // namespace cuboid::detail
