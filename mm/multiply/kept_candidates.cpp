#include "mm/multiply/kept_candidates.hpp"

#include "base/recent_cache.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <any>

namespace cuboid::detail {

namespace {

using CandidateCache = RecentCache<ProductToPlan, Candidates>;

}  // namespace

Candidates kept_candidates(const Communicator& communicator, const ProductToPlan& wanted,
                           const std::function<std::vector<PlanCandidate>()>& weigh) {
  constexpr std::size_t capacity = 32;
  std::any& slot = communicator.state().kept_by_multiply;
  if (!slot.has_value()) slot.emplace<CandidateCache>(capacity);
  return std::any_cast<CandidateCache&>(slot).get(
      wanted, [&] { return std::make_shared<const std::vector<PlanCandidate>>(weigh()); });
}

}  // namespace cuboid::detail
