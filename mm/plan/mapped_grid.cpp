#include "mm/plan/mapped_grid.hpp"

#include <cuboid/grid.hpp>

#include "mm/drivers/cannon/sd_cannon.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

/// The rate over the links of whole axes of a torus, in both directions. Ranks of a node that
/// belong to other lines share the links.
LineRate rate_of(const Placement& placement, const Fold& fold, const AxisLoad& load) {
  const Shape& shape = placement.shape();
  double links = 0;
  int slots_on_line = 1, no_rings = 0;
  for (const Digit& digit : fold.digits) {
    if (digit.axis == shape.dimensions()) {
      slots_on_line *= digit.extent;
    } else if (digit.extent > 1) {
      const bool ring =
          shape.wraps(digit.axis) && shape.extent(digit.axis) == digit.extent && digit.extent > 2;
      links += ring ? 2 : 1;
      no_rings += ring ? 0 : 1;
    }
  }
  const double sharing = static_cast<double>(placement.slots()) / slots_on_line;
  return {load.contiguous ? std::max(links, 1.0) / sharing
                          : 1 / std::max(load.broadcast.worst_link, 1.0),
          1 / std::max(load.shift.worst_link, 1.0), links > 0 && no_rings == 0};
}

/// The nodes of the grid's first line along an axis, which begins in the shape's corner.
LineOfNodes first_line(const Grid& grid, int axis) {
  const Shape& shape = grid.shape();
  std::vector<Coordinate> coordinates;
  std::vector<Axis> axes(static_cast<std::size_t>(shape.dimensions()), {1, false});
  for (const int rank : grid.line(0, axis)) {
    coordinates.push_back(shape.coordinate(grid.location(rank).node));
    for (std::size_t i = 0; i < axes.size(); ++i)
      axes[i].extent = std::max(axes[i].extent, coordinates.back()[i] + 1);
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto number = static_cast<int>(i);
    axes[i].wraps = shape.wraps(number) && axes[i].extent == shape.extent(number);
  }
  LineOfNodes line{Shape(std::move(axes)), {}};
  for (const Coordinate& coordinate : coordinates)
    line.nodes.push_back(static_cast<int>(line.box.index(coordinate)));
  return line;
}

/// The ranks of a mapping, layer by layer. A grid of two axes is one layer.
class MappedRanks : public GridNumbering {
 public:
  MappedRanks(std::shared_ptr<const Placement> placement, Grid grid, int layers)
      : placement_(std::move(placement)),
        grid_(std::move(grid)),
        layers_(layers),
        of_layer_(grid_.ranks() / layers) {}

  int rank_at(int place) const override {
    const int on_grid = place % of_layer_ * layers_ + place / of_layer_;
    return *placement_->rank(grid_.location(on_grid));
  }
  int place_of(int rank) const override {
    const int on_grid = grid_.rank_at(placement_->location(rank));
    return on_grid % layers_ * of_layer_ + on_grid / layers_;
  }
  int last_rank() const override { return grid_.ranks() - 1; }

 private:
  std::shared_ptr<const Placement> placement_;
  Grid grid_;
  int layers_;
  int of_layer_;
};

struct Laid {
  std::shared_ptr<const GridNumbering> ranks;
  std::vector<LineRate> rates;
  std::vector<RotationDigit> digits;  // digits of rows and columns
};

/// Maps a grid onto all ranks of the machine.
std::optional<Laid> lay(std::span<const int> extents, Mapper* machine) {
  int ranks = 1;
  for (const int extent : extents) ranks *= extent;
  if (!machine || machine->placement()->ranks() != ranks) return std::nullopt;
  Mapping mapping = machine->best(extents, Pattern::broadcast, {});
  Laid laid;
  const bool one_rank_each = machine->placement()->slots() == 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    LineRate& rate = laid.rates.emplace_back(
        rate_of(*machine->placement(), mapping.grid.folds()[axis], mapping.load[axis]));
    if (one_rank_each && mapping.load[axis].contiguous)
      rate.nodes = first_line(mapping.grid, static_cast<int>(axis));
  }
  laid.digits = paired_digits(mapping.grid.folds()[0], mapping.grid.folds()[1]);
  const int layers = extents.size() > 2 ? extents[2] : 1;
  laid.ranks =
      std::make_shared<const MappedRanks>(machine->placement(), std::move(mapping.grid), layers);
  return laid;
}

}  // namespace

std::optional<Mapper> mapper_of(const std::optional<Placement>& placement) {
  if (!placement || !placement->full()) return std::nullopt;
  return Mapper(*placement);
}

MappedGrid::MappedGrid(int row_count, int column_count, Mapper* machine)
    : shape(row_count, column_count) {
  auto laid = lay(std::array{row_count, column_count}, machine);
  if (!laid) return;
  // A process row runs along the second axis.
  rows = laid->rates[1];
  columns = laid->rates[0];
  const GridShape mapped(row_count, column_count, std::move(laid->ranks));
  if (mapped != shape) shape = mapped;
}

LaidLayers::LaidLayers(int row_count, int column_count, int layer_count, Mapper* machine)
    : shape(row_count, column_count, layer_count), digits{{row_count, column_count}} {
  auto laid = lay(std::array{row_count, column_count, layer_count}, machine);
  if (!laid) return;
  rows = laid->rates[1];
  columns = laid->rates[0];
  layers = laid->rates[2];
  digits = std::move(laid->digits);
  shape = LayeredGrid(row_count, column_count, layer_count, std::move(laid->ranks));
}

}  // namespace cuboid::detail
