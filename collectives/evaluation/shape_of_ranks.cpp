#include "collectives/evaluation/shape_of_ranks.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cuboid::detail {

std::vector<double> relative_rates(const GroupNodes& group) {
  std::vector<double> rates = group.axis_bytes_per_second;
  double slowest = std::numeric_limits<double>::infinity();
  for (std::size_t axis = 0; axis < rates.size(); ++axis) {
    if (group.shape->extent(static_cast<int>(axis)) > 1) slowest = std::min(slowest, rates[axis]);
  }
  for (double& rate : rates) rate = rate > 0 ? rate / slowest : 1;
  return rates;
}

std::optional<Shape> shape_of_ranks(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  if (!group.shape || !call.numbered_by_node()) return std::nullopt;
  std::vector<Axis> axes(group.shape->axes().begin(), group.shape->axes().end());
  axes.push_back({call.most_on_a_node(), true});
  std::erase_if(axes, [](const Axis& axis) { return axis.extent == 1; });
  if (axes.empty()) return std::nullopt;
  return Shape(std::move(axes));
}

std::optional<Shape> axes_of_ranks(const Call& call) {
  std::optional<Shape> shape = shape_of_ranks(call);
  if (shape && shape->dimensions() < 2) shape.reset();
  return shape;
}

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
