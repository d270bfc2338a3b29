#include "collectives/communicator/kept_messages.hpp"

#include <algorithm>

namespace cuboid::detail {

KeptMessages::CachedMessage* KeptMessages::entry_of(const MessageCall& call) {
  if (last_ >= entries_.size() || entries_[last_].call != call) {
    const auto found = std::ranges::find(entries_, call, &CachedMessage::call);
    if (found == entries_.end()) return nullptr;
    last_ = static_cast<std::size_t>(found - entries_.begin());
  }
  entries_[last_].last_used = ++uses_;
  return &entries_[last_];
}

std::shared_ptr<Execution> KeptMessages::find(const MessageCall& call) {
  CachedMessage* const entry = entry_of(call);
  if (entry == nullptr) return nullptr;
  const std::shared_ptr<Execution>& oldest = entry->executions[entry->next];
  if (oldest.use_count() != 1 || !oldest->done()) return nullptr;
  if (++entry->next == entry->executions.size()) entry->next = 0;
  return oldest;
}

void KeptMessages::add(const MessageCall& call, const std::shared_ptr<Execution>& execution) {
  CachedMessage* entry = entry_of(call);
  if (entry == nullptr) {
    if (entries_.size() == most_calls)
      entries_.erase(std::ranges::min_element(entries_, {}, &CachedMessage::last_used));
    entry =
        &entries_.emplace_back(CachedMessage{.call = call, .executions = {}, .last_used = ++uses_});
  }
  if (entry->executions.size() == most_at_once) return;
  // Before the oldest, which still runs.
  entry->executions.insert(entry->executions.begin() + static_cast<std::ptrdiff_t>(entry->next),
                           execution);
  if (++entry->next == entry->executions.size()) entry->next = 0;
}

}  // namespace cuboid::detail
