#include "collectives/communicator/plan_cache.hpp"

#include <ranges>

namespace cuboid::detail {

namespace {

std::size_t scratch_bytes_of(const PlanCache::CachedPlan& plan) {
  return plan.executions.size() * plan.planned->schedule.scratch_bytes;
}

}  // namespace

bool PlanCache::is_idle(const std::shared_ptr<Execution>& execution) {
  return execution.use_count() == 1 && execution->done();
}

std::size_t PlanCache::scratch_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [collective, plan] : plans_.entries()) bytes += scratch_bytes_of(plan);
  return bytes;
}

void PlanCache::free_scratch(const CachedPlan& but) {
  std::size_t bytes = scratch_bytes();
  for (auto& [collective, plan] : plans_.entries() | std::views::reverse) {
    if (bytes <= most_scratch_bytes) return;
    if (&plan == &but || scratch_bytes_of(plan) == 0) continue;
    bytes -= scratch_bytes_of(plan);
    std::erase_if(plan.executions, is_idle);
    bytes += scratch_bytes_of(plan);
  }
}

}  // namespace cuboid::detail
