#pragma once

#include <cuboid/multiply.hpp>

#include "tests/mm/random_products.hpp"

#include <cstdint>

namespace cuboid::detail::test {

template <MatrixElement T>
Matrix<T> stored_operand(const Communicator& communicator, CaseSource& draw, Op op, std::int64_t m,
                         std::int64_t n, const GridShape& likely_grid, std::uint64_t seed) {
  const GridShape grid = draw.between(0, 1) == 0 ? likely_grid : draw.grid(communicator.size());
  const Layout layout = op == Op::none ? draw.layout(m, n, grid) : draw.layout(n, m, grid);
  auto matrix = padded_matrix<T>(communicator, layout, draw.between(0, 2));
  matrix.fill_random(seed);
  return matrix;
}

/// One product with random sizes, layouts, factors and options.
template <MatrixElement T>
void multiply_drawn_case(const Communicator& communicator, const LocalGemm& gemm, CaseSource& draw,
                         Op op_a, Op op_b) {
  const auto product = any_product<T>(draw, op_a, op_b);
  const auto& [m, n, k, a_op, b_op, alpha, beta] = product;
  const GridShape grid = draw.grid(communicator.size());
  const auto A = stored_operand<T>(communicator, draw, op_a, m, k, grid, seed_a);
  const auto B = stored_operand<T>(communicator, draw, op_b, k, n, grid, seed_b);
  auto C = padded_matrix<T>(communicator, draw.layout(m, n, grid), draw.between(0, 2));
  fill_result(C, beta);
  MultiplyOptions options;
  using enum MultiplicationAlgorithm;
  options.algorithm = draw.one_of<MultiplicationAlgorithm>(
      {automatic, summa, hsumma, cannon, sd_cannon, srumma, two_and_a_half_d, carma, cosma,
       stationary_a, stationary_b});
  if (draw.between(0, 3) == 0) options.grid = draw.grid(communicator.size());
  if (options.algorithm !=
      automatic) {  // which accepts all options, and no algorithm has all these
    if (draw.between(0, 3) == 0) options.sides = Sidedness::one_sided;
    options.panel_width = draw.one_of<std::int64_t>({1, 3, 16, 64, 64, 512});
  }

  const Report report = multiply(alpha, {op_a, A}, {op_b, B}, beta, C, gemm, options);

  expect_right(product, A, B, C, to_string(report));
}

}  // namespace cuboid::detail::test
