#include <cuboid/base/error.hpp>
#include <cuboid/mm/brick_multiplication.hpp>
#include <cuboid/mm/cannon.hpp>
#include <cuboid/mm/make_multiplication.hpp>
#include <cuboid/mm/sd_cannon.hpp>
#include <cuboid/mm/srumma_multiplication.hpp>
#include <cuboid/mm/summa_multiplication.hpp>

#include <array>
#include <complex>

#include <fmt/format.h>

namespace cuboid {

namespace {

constexpr std::array runnable{MultiplicationAlgorithm::summa, MultiplicationAlgorithm::cannon,
                              MultiplicationAlgorithm::sd_cannon, MultiplicationAlgorithm::srumma,
                              MultiplicationAlgorithm::carma, MultiplicationAlgorithm::cosma};

}  // namespace

std::span<const MultiplicationAlgorithm> runnable_algorithms() {
  return runnable;
}

StoredProduct wanted_layouts(const ProductSize& size, Op op_a, Op op_b, const PlanCandidate& plan) {
  if (const auto& bricks = plan.bricks) {
    return {applied(op_a, bricks->a_layout()), op_a, applied(op_b, bricks->b_layout()), op_b,
            bricks->c_layout()};
  }
  const GridShape& grid = plan.grid;
  return {applied(op_a, Layout::block(size.m, size.k, grid)), op_a,
          applied(op_b, Layout::block(size.k, size.n, grid)), op_b,
          Layout::block(size.m, size.n, grid)};
}

template <MatrixElement T>
std::unique_ptr<Multiplication<T>> make_multiplication(const Communicator& communicator,
                                                       const StoredProduct& product,
                                                       const PlanCandidate& plan) {
  switch (plan.algorithm) {
    case MultiplicationAlgorithm::summa:
      return std::make_unique<SummaMultiplication<T>>(communicator, plan.grid, product,
                                                      plan.panel_width);
    case MultiplicationAlgorithm::cannon:
      return std::make_unique<CannonMultiplication<T>>(communicator, plan.grid, product);
    case MultiplicationAlgorithm::sd_cannon:
      return std::make_unique<SdCannonMultiplication<T>>(communicator, FoldedGrid::plain(plan.grid),
                                                         product, plan.sides);
    case MultiplicationAlgorithm::srumma:
      return std::make_unique<SrummaMultiplication<T>>(communicator, plan.grid, product);
    case MultiplicationAlgorithm::carma:
    case MultiplicationAlgorithm::cosma:
      return std::make_unique<BrickMultiplication<T>>(communicator, *plan.bricks, plan.rounds,
                                                      product, plan.sides);
    default: break;
  }
  throw Error(ErrorCode::unsupported, fmt::format("{} can be priced, but not run: give another "
                                                  "algorithm",
                                                  to_string(plan.algorithm)));
}

#define CUBOID_INSTANTIATE(T)                                      \
  template std::unique_ptr<Multiplication<T>> make_multiplication( \
      const Communicator&, const StoredProduct&, const PlanCandidate&)
CUBOID_INSTANTIATE(float);
CUBOID_INSTANTIATE(double);
CUBOID_INSTANTIATE(std::complex<float>);
CUBOID_INSTANTIATE(std::complex<double>);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
