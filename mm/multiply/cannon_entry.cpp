#include "mm/drivers/cannon/cannon.hpp"
#include "mm/multiply/multiplication_entries.hpp"
#include "mm/plan/candidate_costs.hpp"

namespace cuboid::detail {

MultiplicationEntry cannon_entry() {
  return {
      .algorithm = MultiplicationAlgorithm::cannon,
      .name = "cannon",
      .accepts = {AlgorithmOption::grid},
      .add_candidates =
          [](Planning& planning) {
            for (const MappedGrid& grid : planning.grids_to_rotate_on()) {
              planning.add(rotating_on(MultiplicationAlgorithm::cannon, grid, {},
                                       planning.request(), planning.rates()));
            }
          },
      .layouts = in_even_blocks,
      .shares = shares_nothing,
      .makers =
          makers([]<MatrixElement T>(const Communicator& communicator,
                                     const ProductLayouts& product, const PlanCandidate& plan) {
            return std::make_unique<CannonMultiplication<T>>(communicator, plan.grid, product);
          }),
  };
}

}  // namespace cuboid::detail
