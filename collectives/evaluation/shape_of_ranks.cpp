#include "collectives/evaluation/shape_of_ranks.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cuboid::detail {

namespace {

bool numbered_in_order(const GroupNodes& group, int slots) {
  int next = 0;
  for (const std::vector<int>& ranks : group.ranks_of_node) {
    if (static_cast<int>(ranks.size()) != slots) return false;
    for (const int rank : ranks) {
      if (rank != next++) return false;
    }
  }
  return true;
}

}  // namespace

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
  const int slots = call.most_on_a_node();
  if (!group.shape || !numbered_in_order(group, slots)) return std::nullopt;
  std::vector<Axis> axes(group.shape->axes().begin(), group.shape->axes().end());
  axes.push_back({slots, true});
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
