#include "topology/network/shape_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace cuboid::detail {

namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();

// An axis of more than one node.
struct RatedAxis {
  double extent = 0;
  double out = 0;  // rate of the links along it that leave a node at its beginning
  double all = 0;  // rate of all links along it in both directions
};

double nodes_of(const Shape& shape) {
  return static_cast<double>(shape.nodes());
}

std::vector<RatedAxis> axes_of(const Shape& shape, std::span<const double> rates) {
  std::vector<RatedAxis> axes;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    if (shape.extent(axis) == 1) continue;
    const double rate = rates.size() == 1 ? rates[0] : rates[static_cast<std::size_t>(axis)];
    const double extent = shape.extent(axis);
    const double cables = nodes_of(shape) * (shape.wraps(axis) ? 1 : (extent - 1) / extent);
    axes.push_back({extent, rate * (shape.wraps(axis) ? 2 : 1), 2 * rate * cables});
  }
  return axes;
}

// A box at a corner: all nodes along some axes, one node along the others.
struct CornerBox {
  double nodes = 1;
  double out = 0;  // rate of the links along the other axes that leave a node of the box
  double all = 0;  // rate of all links along the other axes
  double cut() const { return nodes * out; }
};

template <class Visit>
void for_each_box(std::span<const RatedAxis> axes, const Visit& visit, CornerBox box = {}) {
  if (axes.empty()) {
    if (box.out > 0) visit(box);
    return;
  }
  const RatedAxis& axis = axes.front();
  for_each_box(axes.subspan(1), visit, {box.nodes, box.out + axis.out, box.all + axis.all});
  for_each_box(axes.subspan(1), visit, {box.nodes * axis.extent, box.out, box.all});
}

// The least `bound_of(box)` of all boxes.
template <class BoundOf>
double least(const Shape& shape, std::span<const double> rates, const BoundOf& bound_of) {
  double bound = no_bound;
  for_each_box(std::span<const RatedAxis>(axes_of(shape, rates)),
               [&](const CornerBox& box) { bound = std::min(bound, bound_of(box)); });
  return bound;
}

double blocks_bound(const Shape& shape, std::span<const double> rates) {
  const double nodes = nodes_of(shape);
  return least(shape, rates,
               [&](const CornerBox& box) { return box.cut() * nodes / (nodes - box.nodes); });
}

}  // namespace

double broadcast_bound(const Shape& shape, std::span<const double> rates) {
  return least(shape, rates, [](const CornerBox& box) { return box.cut(); });
}

double allgather_bound(const Shape& shape, std::span<const double> rates) {
  return blocks_bound(shape, rates);
}

double gather_bound(const Shape& shape, std::span<const double> rates) {
  return blocks_bound(shape, rates);
}

double allreduce_bound(const Shape& shape, std::span<const double> rates) {
  return least(shape, rates, [&](const CornerBox& box) {
    const double boxes = nodes_of(shape) / box.nodes;
    return std::min(box.cut(), box.all / (2 * (boxes - 1)));
  });
}

double alltoall_bound(const Shape& shape, std::span<const double> rates) {
  double bound = blocks_bound(shape, rates);
  for (const auto& [extent, out, all] : axes_of(shape, rates)) {
    const double half = std::floor(extent / 2);
    bound = std::min(bound, out * extent / (half * (extent - half)));
  }
  return bound;
}

}  // namespace cuboid::detail
