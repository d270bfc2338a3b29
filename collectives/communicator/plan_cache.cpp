#include "collectives/communicator/plan_cache.hpp"

#include <ranges>

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
