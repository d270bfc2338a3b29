#include "mm/multiply/kept_candidates.hpp"

#include "collectives/communicator/communicator_state.hpp"

#include <algorithm>
#include <any>
#include <list>

namespace cuboid::detail {

namespace {

struct Kept {
  ProductToPlan wanted;
  Candidates candidates;
};

/// The most recently used first.
using KeptPlans = std::list<Kept>;

bool same(const ProductToPlan& one, const ProductToPlan& other) {
  const ProductLayouts& a = one.product;
  const ProductLayouts& b = other.product;
  return one.type == other.type && a.op_a == b.op_a && a.op_b == b.op_b && a.A == b.A &&
         a.B == b.B && a.C == b.C && one.options == other.options;
}

}  // namespace

Candidates kept_candidates(const Communicator& communicator, const ProductToPlan& wanted,
                           const std::function<std::vector<PlanCandidate>()>& weigh) {
  constexpr std::size_t most_kept = 32;
  std::any& slot = communicator.state().kept_by_multiply;
  if (!slot.has_value()) slot.emplace<KeptPlans>();
  auto& plans = std::any_cast<KeptPlans&>(slot);
  const auto known =
      std::ranges::find_if(plans, [&](const Kept& kept) { return same(kept.wanted, wanted); });
  if (known != plans.end()) {
    plans.splice(plans.begin(), plans, known);
  } else {
    plans.push_front({wanted, std::make_shared<const std::vector<PlanCandidate>>(weigh())});
    if (plans.size() > most_kept) plans.pop_back();
  }
  return plans.front().candidates;
}

}  // namespace cuboid::detail
