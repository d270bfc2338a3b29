#include "mm/drivers/summa/hsumma.hpp"
#include "mm/multiply/multiplication_entries.hpp"
#include "mm/plan/candidate_costs.hpp"

#include <utility>

namespace cuboid::detail {

namespace {

/// Adds HSUMMA's groups on a grid. Groups that the user has not fixed must save at least 2%,
/// because they need more memory; one group is SUMMA.
void add_groups_of(const MappedGrid& grid, Planning& planning) {
  constexpr double worth_it = 0.98;
  const PlanRequest& request = planning.request();
  const GroupChoice& choice = request.groups;
  const bool fixed = choice.shape || choice.count;
  const double of_summa = summa_on(grid, {}, request, planning.rates()).seconds;
  if (choice.sample) {
    planning.add(sampled_on(grid, request, planning.rates()));
    return;
  }
  for (const GroupShape& groups : group_shapes(grid.shape)) {
    if (choice.shape && *choice.shape != groups) continue;
    if (choice.count && *choice.count != groups.size()) continue;
    PlanCandidate candidate = summa_on(grid, groups, request, planning.rates());
    if (!fixed && groups.size() > 1 && candidate.seconds > worth_it * of_summa) continue;
    candidate.algorithm = MultiplicationAlgorithm::hsumma;
    planning.add(std::move(candidate));
  }
}

template <MatrixElement T>
std::unique_ptr<Multiplication<T>> make_planned(const Communicator& communicator,
                                                const ProductLayouts& product,
                                                const PlanCandidate& plan) {
  const HsummaWidths widths{plan.panel_width, plan.outer_width};
  if (plan.sample_groups) {
    return std::make_unique<SampledHsummaMultiplication<T>>(communicator, plan.grid, product,
                                                            widths, plan.order);
  }
  return make_hsumma<T>(communicator, plan.grid, plan.groups, product, widths, plan.order);
}

}  // namespace

MultiplicationEntry hsumma_entry() {
  return {
      .algorithm = MultiplicationAlgorithm::hsumma,
      .name = "hsumma",
      .accepts = {AlgorithmOption::grid, AlgorithmOption::groups, AlgorithmOption::outer_width,
                  AlgorithmOption::panel_width},
      .add_candidates =
          [](Planning& planning) {
            for (const MappedGrid& grid : planning.grids()) add_groups_of(grid, planning);
          },
      .layouts = in_blocks,
      .shares = shares_nothing,
      .makers =
          makers([]<MatrixElement T>(const auto&... plan) { return make_planned<T>(plan...); }),
  };
}

}  // namespace cuboid::detail
