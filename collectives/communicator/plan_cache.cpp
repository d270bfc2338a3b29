#include "collectives/communicator/plan_cache.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

std::size_t scratch_bytes_of(const PlanCache::CachedPlan& entry) {
  return entry.executions.size() * entry.planned->schedule.scratch_bytes;
}

}  // namespace

bool PlanCache::is_idle(const std::shared_ptr<Execution>& execution) {
  return execution.use_count() == 1 && execution->done();
}

PlanCache::CachedPlan* PlanCache::find(const Collective& collective) {
  for (CachedPlan& entry : entries_) {
    if (entry.collective != collective) continue;
    entry.last_used = ++uses_;
    return &entry;
  }
  return nullptr;
}

PlanCache::CachedPlan& PlanCache::add(Collective collective,
                                      std::shared_ptr<const PlannedCollective> planned) {
  if (entries_.size() == capacity) {
    const auto earlier = [](const CachedPlan& a, const CachedPlan& b) {
      return a.last_used < b.last_used;
    };
    entries_.erase(std::min_element(entries_.begin(), entries_.end(), earlier));
  }
  return entries_.emplace_back(CachedPlan{std::move(collective), std::move(planned), {}, ++uses_});
}

std::size_t PlanCache::scratch_bytes() const {
  std::size_t bytes = 0;
  for (const CachedPlan& entry : entries_) bytes += scratch_bytes_of(entry);
  return bytes;
}

void PlanCache::free_scratch(const CachedPlan& but) {
  std::size_t bytes = scratch_bytes();
  if (bytes <= most_scratch_bytes) return;
  std::vector<CachedPlan*> others;
  for (CachedPlan& entry : entries_) {
    if (&entry != &but && scratch_bytes_of(entry) > 0) others.push_back(&entry);
  }
  std::ranges::sort(others, {}, &CachedPlan::last_used);
  for (CachedPlan* const entry : others) {
    if (bytes <= most_scratch_bytes) return;
    bytes -= scratch_bytes_of(*entry);
    std::erase_if(entry->executions, is_idle);
    bytes += scratch_bytes_of(*entry);
  }
}

}  // namespace cuboid::detail
