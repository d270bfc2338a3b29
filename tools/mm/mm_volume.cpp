#include "tools/mm/mm_volume.hpp"

#include "mm/multiply/plan_request.hpp"
#include "mm/plan/planner.hpp"
#include "tools/mm/mm_result.hpp"
#include "tools/output/flag_values.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

ExitCode tell_volumes(const MmOptions& options, int ranks, bool speak) {
  constexpr int most_ranks = 1 << 20;  // planning for more ranks takes minutes
  if (ranks > most_ranks)
    refuse(fmt::format("--volume-only: for {} ranks: give at most {}", ranks, most_ranks));
  const Product product = plan_product(options, ranks);
  const PlanRequest request =
      plan_request(product.size(), bytes_of(product.type), ranks, options.how);
  // A machine on which only words take time: the plan of the fewest words comes first.
  const Rates words_only{{0, 1e-9}, 1e30, false};
  const auto planned = candidates_for(request, words_only, options.how);
  if (planned.empty()) cheapest(planned, request);  // throws with the reason
  std::vector<PlanCandidate> candidates;            // the best of each algorithm
  for (const PlanCandidate& one : planned) {
    const bool seen = std::ranges::any_of(
        candidates, [&](const PlanCandidate& other) { return other.algorithm == one.algorithm; });
    if (!seen) candidates.push_back(one);
  }
  if (!speak) return ExitCode::done;
  if (options.flags.json) {
    print_json(volume_json(candidates, request));
  } else {
    print_text(volume_text(candidates, request));
  }
  return ExitCode::done;
}

}  // namespace cuboid::detail::tools
