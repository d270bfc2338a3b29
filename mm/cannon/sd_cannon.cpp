#include "mm/cannon/sd_cannon.hpp"

#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// Extents of a fold's digits, slowest first.
std::vector<int> digits_of(const Fold& fold) {
  if (fold.snake) return {fold.extent()};
  std::vector<int> extents;
  for (const Digit& digit : fold.digits) {
    if (digit.extent > 1) extents.push_back(digit.extent);
  }
  return extents;
}

}  // namespace

FoldedGrid FoldedGrid::plain(const GridShape& shape) {
  return {shape, {{shape.rows(), shape.columns()}}};
}

FoldedGrid FoldedGrid::of(const Grid& grid, std::vector<int> rank_at) {
  if (grid.dimensions() != 2) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("SD-Cannon: the grid {} has {} dimensions: give one of two",
                            grid.to_string(), grid.dimensions()));
  }
  std::vector<int> rows = digits_of(grid.folds()[0]);
  std::vector<int> columns = digits_of(grid.folds()[1]);
  const std::size_t digits = std::max({rows.size(), columns.size(), std::size_t{1}});
  rows.insert(rows.begin(), digits - rows.size(), 1);
  columns.insert(columns.begin(), digits - columns.size(), 1);
  FoldedGrid folded{GridShape(grid.extent(0), grid.extent(1), std::move(rank_at)), {}};
  for (std::size_t digit = 0; digit < digits; ++digit) {
    folded.digits.push_back({rows[digit], columns[digit]});
  }
  return folded;
}

FoldedGrid fold_for_sd_cannon(const Placement& placement) {
  // The cores are folded into the axis that makes the grid squarer.
  const Grid into_rows = alternating_grid(placement.shape(), placement.slots(), 0);
  const Grid into_columns = alternating_grid(placement.shape(), placement.slots(), 1);
  const auto longer = [](const Grid& grid) { return std::max(grid.extent(0), grid.extent(1)); };
  const Grid& grid = longer(into_rows) < longer(into_columns) ? into_rows : into_columns;
  std::vector<int> rank_at(static_cast<std::size_t>(placement.ranks()));
  const std::vector<int> rank_on_grid = reorder(placement, grid);
  for (std::size_t rank = 0; rank < rank_on_grid.size(); ++rank) {
    rank_at[static_cast<std::size_t>(rank_on_grid[rank])] = static_cast<int>(rank);
  }
  return FoldedGrid::of(grid, std::move(rank_at));
}

std::vector<Rotation> rotations_for_sd_cannon(const std::vector<RotationDigit>& digits) {
  std::vector<Rotation> colours;
  for (std::size_t innermost = 0; innermost < digits.size(); ++innermost) {
    for (const int direction : {+1, -1}) {
      colours.emplace_back(digits, static_cast<int>(innermost), direction);
    }
  }
  return colours;
}

template <MatrixElement T>
SdCannonMultiplication<T>::SdCannonMultiplication(const Communicator& communicator,
                                                  const FoldedGrid& grid,
                                                  const ProductLayouts& product, Sidedness sides)
    : RotatingMultiplication<T>(communicator, grid.shape, rotations_for_sd_cannon(grid.digits),
                                product, sides) {}

template class SdCannonMultiplication<float>;
template class SdCannonMultiplication<double>;
template class SdCannonMultiplication<std::complex<float>>;
template class SdCannonMultiplication<std::complex<double>>;

}  // namespace cuboid::detail
