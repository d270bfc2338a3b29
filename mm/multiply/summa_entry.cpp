#include "mm/drivers/summa/summa.hpp"
#include "mm/multiply/multiplication_entries.hpp"
#include "mm/plan/candidate_costs.hpp"

namespace cuboid::detail {

MultiplicationEntry summa_entry() {
  return {
      .algorithm = MultiplicationAlgorithm::summa,
      .name = "summa",
      .accepts = {AlgorithmOption::grid, AlgorithmOption::panel_width},
      .add_candidates =
          [](Planning& planning) {
            for (const MappedGrid& grid : planning.grids())
              planning.add(summa_on(grid, {}, planning.request(), planning.rates()));
          },
      .layouts = in_blocks,
      .shares = shares_nothing,
      .on_devices = true,
      .makers =
          makers([]<MatrixElement T>(const Communicator& communicator,
                                     const ProductLayouts& product, const PlanCandidate& plan) {
            return std::make_unique<SummaMultiplication<T>>(communicator, plan.grid, product,
                                                            plan.panel_width, plan.order);
          }),
  };
}

}  // namespace cuboid::detail
