#pragma once

// Grids and shapes that factorisations are tested on, and what errors rounding
// explains.

#include <cuboid/communicator.hpp>
#include <cuboid/factorise.hpp>

#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/whole_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cuboid::detail {

inline constexpr std::uint64_t seed = 7;

/// ‖P·A − L·U‖ in its largest element, over max|U|, as rounding explains it.
template <MatrixElement T>
double factor_error(WholeMatrix<T> A, const WholeMatrix<T>& F, std::span<const std::int64_t> swaps,
                    bool cholesky = false) {
  for (std::size_t k = 0; k < swaps.size(); ++k) {
    for (std::int64_t j = 0; j < A.n; ++j)
      std::swap(A(static_cast<std::int64_t>(k), j), A(swaps[k], j));
  }
  double error = 0;
  for (std::int64_t j = 0; j < A.n; ++j) {
    for (std::int64_t i = 0; i < A.m; ++i) {
      T sum{};
      for (std::int64_t k = 0; k <= std::min({i, j, std::min(A.m, A.n) - 1}); ++k)
        sum += (k == i && !cholesky ? T(1) : F(i, k)) * F(k, j);
      error = std::max(error, static_cast<double>(std::abs(sum - A(i, j))));
    }
  }
  return error;
}

/// max |op(A)·X − B| over what rounding explains of a backward stable solve.
template <MatrixElement T>
double scaled_residual(const WholeMatrix<T>& A, Op op, const WholeMatrix<T>& X,
                       const WholeMatrix<T>& B) {
  const auto element = [&](std::int64_t i, std::int64_t k) {
    if (op == Op::none) return A(i, k);
    return op == Op::transpose ? A(k, i) : conjugate(A(k, i));
  };
  double residual = 0;
  for (std::int64_t j = 0; j < B.n; ++j) {
    for (std::int64_t i = 0; i < A.n; ++i) {
      T sum{};
      for (std::int64_t k = 0; k < A.n; ++k) sum += element(i, k) * X(k, j);
      residual = std::max(residual, static_cast<double>(std::abs(sum - B(i, j))));
    }
  }
  const double size = static_cast<double>(A.n) * A.largest() * X.largest() + B.largest();
  return residual == 0 ? 0 : residual / (epsilon_of<T>() * size * static_cast<double>(A.n));
}

struct Case {
  int ranks;
  int rows, columns, layers;
  std::int64_t m, n, block;
  Pivoting pivoting;

  std::string text() const {
    return fmt::format("{} ranks, {}x{}x{}, {}x{} in blocks of {}, {}", ranks, rows, columns,
                       layers, m, n, block, to_string(pivoting));
  }
  FactoriseOptions options() const {
    return {
        .pivoting = pivoting, .grid = GridShape(rows, columns), .layers = layers, .block = block};
  }
};

inline const std::vector<std::array<int, 4>> grids = {
    // ranks, rows, columns, layers
    {1, 1, 1, 1},   {2, 1, 2, 1},  {2, 2, 1, 1},   {2, 1, 1, 2},  {3, 3, 1, 1},
    {3, 1, 2, 1},   {3, 1, 1, 3},  {4, 2, 2, 1},   {4, 1, 2, 2},  {5, 2, 1, 2},
    {6, 2, 3, 1},   {7, 7, 1, 1},  {8, 2, 2, 2},   {9, 3, 3, 1},  {9, 3, 1, 3},
    {11, 1, 11, 1}, {12, 2, 2, 3}, {13, 13, 1, 1}, {16, 2, 2, 4}, {16, 4, 4, 1},
};

inline const std::vector<std::array<std::int64_t, 3>> shapes = {
    // m, n, block
    {0, 0, 4},   {1, 1, 4},   {4, 4, 4},    {5, 5, 4},    {16, 16, 4}, {17, 17, 4},
    {23, 23, 3}, {9, 9, 1},   {30, 30, 64}, {20, 9, 4},   {9, 20, 4},  {40, 40, 7},
    {0, 3, 2},   {33, 5, 16}, {2, 31, 8},   {64, 64, 16},
};

/// Every shape with every second grid, for double; fewer for the others, which differ in kernels.
/// No grid of more ranks than the largest world.
template <MatrixElement T, class Body>
void for_each_case(Pivoting pivoting, const Body& body) {
  constexpr std::size_t stride = std::same_as<T, double> ? 2 : 6;
  for (std::size_t grid = 0; grid < grids.size(); ++grid) {
    const auto [ranks, rows, columns, layers] = grids[grid];
    if (ranks > largest_world) continue;
    try {
      run_ranks(ranks, [&, rows = rows, columns = columns, layers = layers](Communicator& world) {
        for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
          const auto [m, n, block] = shapes[shape];
          if ((grid + shape) % stride == 0)
            body(world, Case{world.size(), rows, columns, layers, m, n, block, pivoting});
        }
      });
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

}  // namespace cuboid::detail
