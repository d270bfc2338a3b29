#include "mm/decompositions/required_layouts.hpp"
#include "mm/drivers/layered/two_and_a_half_d.hpp"
#include "mm/multiply/multiplication_entries.hpp"
#include "mm/plan/candidate_costs.hpp"

namespace cuboid::detail {

namespace {

/// Adds c layers of every grid that leaves few ranks outside, from 2-D to 3-D unless c is given.
void add_layers(Planning& planning) {
  const PlanRequest& request = planning.request();
  const int ranks = request.ranks;
  const auto add = [&](int rows, int columns, int layers) {
    const LaidLayers grid(rows, columns, layers, planning.machine());
    using enum LayerAlgorithm;
    for (const LayerAlgorithm inside : {summa, cannon, sd_cannon, slabs}) {
      if (request.inside.value_or(inside) != inside) continue;
      if (request.replicated_operands && inside != summa) continue;
      planning.add(in_layers(grid, inside, request, planning.rates()));
    }
  };
  for (int c = request.layers.value_or(1); c <= request.layers.value_or(ranks); ++c) {
    if (!request.layers && std::int64_t{c} * c * c > ranks) break;
    if (const auto& given = request.grid) {
      if (std::int64_t{given->size()} * c <= ranks) add(given->rows(), given->columns(), c);
      continue;
    }
    for (int rows = 1; rows <= ranks / c; ++rows) {
      const int columns = ranks / c / rows;
      if (is_worth_costing(request, rows, columns, c)) add(rows, columns, c);
    }
  }
}

}  // namespace

MultiplicationEntry two_and_a_half_d_entry() {
  return {
      .algorithm = MultiplicationAlgorithm::two_and_a_half_d,
      .name = "2.5d",
      .accepts = {AlgorithmOption::grid, AlgorithmOption::panel_width, AlgorithmOption::layers,
                  AlgorithmOption::inside, AlgorithmOption::replicated_operands},
      .add_candidates = add_layers,
      .layouts =
          [](const ProductSize& size, Op op_a, Op op_b, const PlanCandidate& plan) {
            const RequiredLayouts wanted = plan.replicated_operands
                                               ? wanted_on_first_layer(size, *plan.layered)
                                               : wanted_in_layers(size, *plan.layered, plan.inside);
            return ProductLayouts{applied(op_a, wanted.A), op_a, applied(op_b, wanted.B), op_b,
                                  wanted.C};
          },
      .shares = shares_nothing,
      .makers =
          makers([]<MatrixElement T>(const Communicator& communicator,
                                     const ProductLayouts& product, const PlanCandidate& plan) {
            return make_in_layers<T>(
                communicator, *plan.layered, product,
                {plan.inside, plan.panel_width, plan.order, plan.digits, plan.replicated_operands});
          }),
  };
}

}  // namespace cuboid::detail
