#include "mm/drivers/cannon/sd_cannon.hpp"
#include "mm/multiply/multiplication_entries.hpp"
#include "mm/plan/candidate_costs.hpp"

namespace cuboid::detail {

namespace {

/// Adds SD-Cannon on the machine's own axes, if they are known.
void add_sd_cannon(Planning& planning) {
  const PlanRequest& request = planning.request();
  const auto add = [&](const MappedGrid& grid, const FoldedGrid& folded) {
    planning.add(rotating_on(MultiplicationAlgorithm::sd_cannon, grid, folded.digits, request,
                             planning.rates()));
  };
  const auto& placement = request.placement;
  if (placement && placement->full() && placement->ranks() == request.ranks) {
    const FoldedGrid folded = fold_for_sd_cannon(*placement);
    const GridShape& shape = folded.shape;
    const bool as_given = !request.grid || (request.grid->rows() == shape.rows() &&
                                            request.grid->columns() == shape.columns());
    if (as_given) {
      MappedGrid grid(shape.rows(), shape.columns(), planning.machine());
      grid.shape = shape;
      add(grid, folded);
    }
  }
  for (const MappedGrid& grid : planning.grids_to_rotate_on())
    add(grid, FoldedGrid::plain(grid.shape));
}

}  // namespace

MultiplicationEntry sd_cannon_entry() {
  return {
      .algorithm = MultiplicationAlgorithm::sd_cannon,
      .name = "sd-cannon",
      .accepts = {AlgorithmOption::grid, AlgorithmOption::one_sided,
                  AlgorithmOption::one_direction},
      .add_candidates = add_sd_cannon,
      .layouts = in_even_blocks,
      .shares = shares_nothing,
      .makers =
          makers([]<MatrixElement T>(const Communicator& communicator,
                                     const ProductLayouts& product, const PlanCandidate& plan) {
            return std::make_unique<SdCannonMultiplication<T>>(
                communicator, FoldedGrid{plan.grid, plan.digits}, product, plan.sides,
                plan.one_direction ? ShiftDirections::one : ShiftDirections::both);
          }),
  };
}

}  // namespace cuboid::detail
