#include <cuboid/collectives/plan_cache.hpp>

#include <algorithm>

namespace cuboid {

PlanCache::Entry* PlanCache::find(const Collective& collective) {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return entry.collective == collective;
  });
  if (found == entries_.rend()) return nullptr;
  std::rotate(found.base() - 1, found.base(), entries_.end());
  return &entries_.back();
}

PlanCache::Entry& PlanCache::add(Collective collective, std::shared_ptr<const Recipe> recipe) {
  if (entries_.size() == capacity) entries_.erase(entries_.begin());
  return entries_.emplace_back(Entry{std::move(collective), std::move(recipe), {}});
}

}  // namespace cuboid
