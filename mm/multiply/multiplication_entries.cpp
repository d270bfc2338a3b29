#include "mm/multiply/multiplication_entries.hpp"

namespace cuboid::detail {

ProductLayouts in_blocks(const ProductSize& size, Op op_a, Op op_b, const PlanCandidate& plan) {
  return {applied(op_a, Layout::block(size.m, size.k, plan.grid)), op_a,
          applied(op_b, Layout::block(size.k, size.n, plan.grid)), op_b,
          Layout::block(size.m, size.n, plan.grid)};
}

ProductLayouts in_even_blocks(const ProductSize& size, Op op_a, Op op_b,
                              const PlanCandidate& plan) {
  const LayeredGrid evenly(plan.grid.rows(), plan.grid.columns(), 1);
  const auto on_grid = [&](const Layout& layout) {
    return Layout(layout.rows(), layout.columns(), plan.grid);
  };
  return {applied(op_a, on_grid(evenly.a_layout(size.m, size.k))), op_a,
          applied(op_b, on_grid(evenly.b_layout(size.k, size.n))), op_b,
          on_grid(evenly.c_layout(size.m, size.n))};
}

}  // namespace cuboid::detail
