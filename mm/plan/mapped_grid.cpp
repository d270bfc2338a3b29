#include "mm/plan/mapped_grid.hpp"

#include <cuboid/grid.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

/// Over the links of whole axes of a torus, both ways round; ranks of a node that are on other
/// lines share them.
LineRate rate_of(const Placement& placement, const Fold& fold, const AxisLoad& load) {
  const Shape& shape = placement.shape();
  double links = 0;
  int slots_on_line = 1;
  for (const Digit& digit : fold.digits) {
    if (digit.axis == shape.dimensions()) {
      slots_on_line *= digit.extent;
    } else if (digit.extent > 1) {
      const bool ring =
          shape.wraps(digit.axis) && shape.extent(digit.axis) == digit.extent && digit.extent > 2;
      links += ring ? 2 : 1;
    }
  }
  const double sharing = static_cast<double>(placement.slots()) / slots_on_line;
  return {load.contiguous ? std::max(links, 1.0) / sharing
                          : 1 / std::max(load.broadcast.worst_link, 1.0),
          1 / std::max(load.shift.worst_link, 1.0)};
}

struct Laid {
  std::vector<int> rank_at;  // by place on the grid, row-major
  std::vector<LineRate> rates;
};

std::optional<Laid> lay(std::span<const int> extents, const std::optional<Placement>& placement) {
  int ranks = 1;
  for (const int extent : extents) ranks *= extent;
  if (!placement || !placement->full() || placement->ranks() != ranks) return std::nullopt;
  const Mapping mapping = best_mapping(*placement, extents);
  Laid laid{std::vector<int>(static_cast<std::size_t>(ranks)), {}};
  const std::vector<int> place_of = reorder(*placement, mapping.grid);
  for (std::size_t rank = 0; rank < place_of.size(); ++rank) {
    laid.rank_at[static_cast<std::size_t>(place_of[rank])] = static_cast<int>(rank);
  }
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    laid.rates.push_back(rate_of(*placement, mapping.grid.folds()[axis], mapping.load[axis]));
  }
  return laid;
}

}  // namespace

MappedGrid::MappedGrid(int row_count, int column_count, const std::optional<Placement>& placement)
    : shape(row_count, column_count) {
  auto laid = lay(std::array{row_count, column_count}, placement);
  if (!laid) return;
  // A process row runs along the second axis.
  rows = laid->rates[1];
  columns = laid->rates[0];
  const GridShape listed(row_count, column_count, std::move(laid->rank_at));
  if (listed != shape) shape = listed;
}

LaidLayers::LaidLayers(int row_count, int column_count, int layer_count,
                       const std::optional<Placement>& placement)
    : shape(row_count, column_count, layer_count) {
  const auto laid = lay(std::array{row_count, column_count, layer_count}, placement);
  if (!laid) return;
  rows = laid->rates[1];
  columns = laid->rates[0];
  layers = laid->rates[2];
  std::vector<int> ranks;
  for (int layer = 0; layer < layer_count; ++layer) {
    for (int place = 0; place < row_count * column_count; ++place) {
      ranks.push_back(laid->rank_at[static_cast<std::size_t>(place * layer_count + layer)]);
    }
  }
  shape = LayeredGrid(row_count, column_count, layer_count, std::move(ranks));
}

}  // namespace cuboid::detail
