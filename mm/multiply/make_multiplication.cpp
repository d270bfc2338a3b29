#include "mm/multiply/make_multiplication.hpp"

#include <cuboid/error.hpp>

#include "mm/bricks/brick_multiplication.hpp"
#include "mm/cannon/cannon.hpp"
#include "mm/cannon/sd_cannon.hpp"
#include "mm/decompositions/wanted_layouts.hpp"
#include "mm/layered/two_and_a_half_d.hpp"
#include "mm/srumma/srumma_multiplication.hpp"
#include "mm/summa/hsumma.hpp"
#include "mm/summa/summa.hpp"

#include <complex>

namespace cuboid::detail {

namespace {

/// C in blocks, the inner dimension evenly, as blocks rotate.
ProductLayouts rotating_layouts(const ProductSize& size, Op op_a, Op op_b, const GridShape& grid) {
  const LayeredGrid evenly(grid.rows(), grid.columns(), 1);
  const auto on_grid = [&](const Layout& layout) {
    return Layout(layout.rows(), layout.columns(), grid);
  };
  return {applied(op_a, on_grid(evenly.a_layout(size.m, size.k))), op_a,
          applied(op_b, on_grid(evenly.b_layout(size.k, size.n))), op_b,
          on_grid(evenly.c_layout(size.m, size.n))};
}

}  // namespace

ProductLayouts wanted_layouts(const ProductSize& size, Op op_a, Op op_b,
                              const PlanCandidate& plan) {
  if (const auto& bricks = plan.bricks) {
    return {applied(op_a, bricks->a_layout()), op_a, applied(op_b, bricks->b_layout()), op_b,
            bricks->c_layout()};
  }
  if (const auto& layered = plan.layered) {
    const WantedLayouts wanted = wanted_in_layers(size, *layered, plan.inside);
    return {applied(op_a, wanted.A), op_a, applied(op_b, wanted.B), op_b, wanted.C};
  }
  const GridShape& grid = plan.grid;
  if (plan.algorithm == MultiplicationAlgorithm::cannon ||
      plan.algorithm == MultiplicationAlgorithm::sd_cannon) {
    return rotating_layouts(size, op_a, op_b, grid);
  }
  return {applied(op_a, Layout::block(size.m, size.k, grid)), op_a,
          applied(op_b, Layout::block(size.k, size.n, grid)), op_b,
          Layout::block(size.m, size.n, grid)};
}

InSharedMemory operands_to_share(const PlanCandidate& plan) {
  if (plan.algorithm != MultiplicationAlgorithm::srumma) return {};
  return {.a = plan.grid.columns() > 1, .b = plan.grid.rows() > 1};
}

template <MatrixElement T>
std::unique_ptr<Multiplication<T>> make_multiplication(const Communicator& communicator,
                                                       const ProductLayouts& product,
                                                       const PlanCandidate& plan) {
  switch (plan.algorithm) {
    case MultiplicationAlgorithm::summa:
      return std::make_unique<SummaMultiplication<T>>(communicator, plan.grid, product,
                                                      plan.panel_width, plan.order);
    case MultiplicationAlgorithm::hsumma: {
      const HsummaWidths widths{plan.panel_width, plan.outer_width};
      if (plan.sample_groups) {
        return std::make_unique<SampledHsummaMultiplication<T>>(communicator, plan.grid, product,
                                                                widths, plan.order);
      }
      return std::make_unique<HsummaMultiplication<T>>(communicator, plan.grid, plan.groups,
                                                       product, widths, plan.order);
    }
    case MultiplicationAlgorithm::two_and_a_half_d:
      return std::make_unique<TwoAndAHalfDMultiplication<T>>(
          communicator, *plan.layered, product,
          LayerOptions{plan.inside, plan.panel_width, plan.order});
    case MultiplicationAlgorithm::cannon:
      return std::make_unique<CannonMultiplication<T>>(communicator, plan.grid, product);
    case MultiplicationAlgorithm::sd_cannon:
      return std::make_unique<SdCannonMultiplication<T>>(
          communicator, FoldedGrid{plan.grid, plan.turns}, product, plan.sides);
    case MultiplicationAlgorithm::srumma:
      return std::make_unique<SrummaMultiplication<T>>(communicator, plan.grid, product);
    case MultiplicationAlgorithm::carma:
    case MultiplicationAlgorithm::cosma:
      return std::make_unique<BrickMultiplication<T>>(communicator, *plan.bricks, plan.rounds,
                                                      product, plan.sides);
    case MultiplicationAlgorithm::automatic: break;
  }
  throw Error(ErrorCode::internal, "a plan of no algorithm");
}

#define CUBOID_INSTANTIATE(T)                                      \
  template std::unique_ptr<Multiplication<T>> make_multiplication( \
      const Communicator&, const ProductLayouts&, const PlanCandidate&)
CUBOID_INSTANTIATE(float);
CUBOID_INSTANTIATE(double);
CUBOID_INSTANTIATE(std::complex<float>);
CUBOID_INSTANTIATE(std::complex<double>);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
