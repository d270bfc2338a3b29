#include "mm/drivers/cannon/sd_cannon.hpp"

#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>

#include "mm/matrix/element_types.hpp"

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

std::vector<RotationDigit> paired_digits(const Fold& rows, const Fold& columns) {
  std::vector<int> of_rows = digits_of(rows);
  std::vector<int> of_columns = digits_of(columns);
  const std::size_t count = std::max({of_rows.size(), of_columns.size(), std::size_t{1}});
  of_rows.insert(of_rows.begin(), count - of_rows.size(), 1);
  of_columns.insert(of_columns.begin(), count - of_columns.size(), 1);
  std::vector<RotationDigit> digits;
  for (std::size_t digit = 0; digit < count; ++digit)
    digits.push_back({of_rows[digit], of_columns[digit]});
  return digits;
}

FoldedGrid FoldedGrid::plain(const GridShape& shape) {
  return {shape, {{shape.rows(), shape.columns()}}};
}

FoldedGrid FoldedGrid::of(const Grid& grid, std::vector<int> rank_at) {
  if (grid.dimensions() != 2) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("SD-Cannon: the grid {} has {} dimensions: give one of two",
                            grid.to_string(), grid.dimensions()));
  }
  return {GridShape(grid.extent(0), grid.extent(1), std::move(rank_at)),
          paired_digits(grid.folds()[0], grid.folds()[1])};
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

std::vector<Rotation> rotations_for_sd_cannon(const std::vector<RotationDigit>& digits,
                                              ShiftDirections directions) {
  std::vector<Rotation> colours;
  for (std::size_t innermost = 0; innermost < digits.size(); ++innermost) {
    colours.emplace_back(digits, static_cast<int>(innermost), +1);
    if (directions == ShiftDirections::both)
      colours.emplace_back(digits, static_cast<int>(innermost), -1);
  }
  return colours;
}

template <MatrixElement T>
SdCannonMultiplication<T>::SdCannonMultiplication(const Communicator& communicator,
                                                  const FoldedGrid& grid,
                                                  const ProductLayouts& product, Sidedness sides,
                                                  ShiftDirections directions)
    : RotatingMultiplication<T>(communicator, grid.shape,
                                rotations_for_sd_cannon(grid.digits, directions), product, sides) {}

CUBOID_CLASS_FOR_ELEMENT_TYPES(SdCannonMultiplication);

}  // namespace cuboid::detail
