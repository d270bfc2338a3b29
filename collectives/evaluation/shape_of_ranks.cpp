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

}  // namespace cuboid::detail
