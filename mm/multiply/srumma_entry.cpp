#include "mm/drivers/srumma/srumma_multiplication.hpp"
#include "mm/multiply/multiplication_entries.hpp"
#include "mm/plan/candidate_costs.hpp"

namespace cuboid::detail {

MultiplicationEntry srumma_entry() {
  return {
      .algorithm = MultiplicationAlgorithm::srumma,
      .name = "srumma",
      .accepts = {AlgorithmOption::grid, AlgorithmOption::copied_blocks,
                  AlgorithmOption::blocking_gets, AlgorithmOption::blocks_by_arrival},
      .add_candidates =
          [](Planning& planning) {
            for (const MappedGrid& grid : planning.grids())
              planning.add(srumma_on(grid, planning.request(), planning.rates()));
          },
      .layouts = in_blocks,
      .shares =
          [](const PlanCandidate& plan) {
            return InSharedMemory{.a = !plan.copied_blocks && plan.grid.columns() > 1,
                                  .b = !plan.copied_blocks && plan.grid.rows() > 1};
          },
      .makers =
          makers([]<MatrixElement T>(const Communicator& communicator,
                                     const ProductLayouts& product, const PlanCandidate& plan) {
            return std::make_unique<SrummaMultiplication<T>>(
                communicator, plan.grid, product,
                plan.copied_blocks ? SharedBlocks::fetched : SharedBlocks::in_place,
                plan.blocking_gets       ? Gets::blocking
                : plan.blocks_by_arrival ? Gets::by_arrival
                                         : Gets::ahead);
          }),
  };
}

}  // namespace cuboid::detail
