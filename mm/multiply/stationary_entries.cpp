#include "mm/decompositions/required_layouts.hpp"
#include "mm/drivers/summa/stationary_summa.hpp"
#include "mm/multiply/multiplication_entries.hpp"
#include "mm/plan/candidate_costs.hpp"

namespace cuboid::detail {

namespace {

template <StationaryOperand stays>
MultiplicationEntry entry(MultiplicationAlgorithm algorithm, std::string_view name) {
  return {
      .algorithm = algorithm,
      .name = name,
      .accepts = {AlgorithmOption::grid, AlgorithmOption::panel_width},
      .add_candidates =
          [](Planning& planning) {
            for (const MappedGrid& grid : planning.grids())
              planning.add(stationary_on(stays, grid, planning.request(), planning.rates()));
          },
      .layouts =
          [](const ProductSize& size, Op op_a, Op op_b, const PlanCandidate& plan) {
            const RequiredLayouts wanted =
                wanted_for_stationary(in_blocks(size, op_a, op_b, plan), plan.grid, stays);
            return ProductLayouts{applied(op_a, wanted.A), op_a, applied(op_b, wanted.B), op_b,
                                  wanted.C};
          },
      .shares = shares_nothing,
      .makers =
          makers([]<MatrixElement T>(const Communicator& communicator,
                                     const ProductLayouts& product, const PlanCandidate& plan) {
            return std::make_unique<StationarySummaMultiplication<T>>(
                communicator, plan.grid, product, stays, plan.panel_width);
          }),
  };
}

}  // namespace

MultiplicationEntry stationary_a_entry() {
  return entry<StationaryOperand::a>(MultiplicationAlgorithm::stationary_a, "stationary-a");
}

MultiplicationEntry stationary_b_entry() {
  return entry<StationaryOperand::b>(MultiplicationAlgorithm::stationary_b, "stationary-b");
}

}  // namespace cuboid::detail
