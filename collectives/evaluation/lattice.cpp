#include "collectives/evaluation/lattice.hpp"

#include "collectives/evaluation/shape_of_ranks.hpp"

#include <algorithm>
#include <utility>

namespace cuboid::detail {

double Lattice::alone(std::span<const BucketColour> colours) const {
  const double nodes = static_cast<double>(shape.nodes()) / (slots ? shape.extent(*slots) : 1);
  double most = 0;
  for (const BucketColour& colour : colours) {
    double bundle = colour.share / nodes;
    double on_links = 0;
    for (const int axis : colour.axes) {
      if (axis == slots) continue;
      const double ways = shape.wraps(axis) ? 2 : 1;
      on_links += bundle * (shape.extent(axis) - 1) / (ways * rate(axis));
      bundle *= shape.extent(axis);
    }
    most = std::max(most, on_links);
  }
  return most / busiest_link(colours);
}

std::optional<Lattice> lattice_of(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  const int slots = call.most_on_a_node();
  if (!group.shape || group.nodes() < 2 || call.ranks() != group.nodes() * slots)
    return std::nullopt;
  std::vector<double> rates = relative_rates(group);
  if (slots == 1) return Lattice{*group.shape, {}, std::move(rates)};
  std::vector<Axis> axes(group.shape->axes().begin(), group.shape->axes().end());
  axes.push_back({slots, true});
  if (!rates.empty()) rates.push_back(1);
  return Lattice{Shape(std::move(axes)), group.shape->dimensions(), std::move(rates)};
}

}  // namespace cuboid::detail
