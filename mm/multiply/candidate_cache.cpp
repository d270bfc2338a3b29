#include "mm/multiply/candidate_cache.hpp"

#include "base/recent_cache.hpp"
#include "collectives/communicator/communicator_state.hpp"

namespace cuboid::detail {

namespace {

struct CandidateCache {
  RecentCache<ProductToPlan, Candidates> candidates{32};
};

}  // namespace

Candidates cached_candidates(const Communicator& communicator, const ProductToPlan& wanted,
                             const std::function<std::vector<PlanCandidate>()>& weigh) {
  return communicator.state().attributes.get<CandidateCache>().candidates.get(
      wanted, [&] { return std::make_shared<const std::vector<PlanCandidate>>(weigh()); });
}

}  // namespace cuboid::detail
