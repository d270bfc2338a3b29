#include "collectives/communicator/plan_cache.hpp"

#include <algorithm>

namespace cuboid::detail {

PlanCache::Entry* PlanCache::find(const Collective& collective) {
  for (Entry& entry : entries_) {
    if (entry.collective != collective) continue;
    entry.last_used = ++uses_;
    return &entry;
  }
  return nullptr;
}

PlanCache::Entry& PlanCache::add(Collective collective,
                                 std::shared_ptr<const PlannedCollective> planned) {
  if (entries_.size() == capacity) {
    const auto earlier = [](const Entry& a, const Entry& b) { return a.last_used < b.last_used; };
    entries_.erase(std::min_element(entries_.begin(), entries_.end(), earlier));
  }
  return entries_.emplace_back(Entry{std::move(collective), std::move(planned), {}, ++uses_});
}

}  // namespace cuboid::detail
