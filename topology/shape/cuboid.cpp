#include "topology/shape/cuboid.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {
namespace {

std::vector<int> extents_of(const Shape& shape) {
  std::vector<int> extents;
  for (const Axis& axis : shape.axes()) extents.push_back(axis.extent);
  return extents;
}

/// The box as a shape: an axis wraps if it spans the whole of an axis that wraps.
Shape shape_inside(const Shape& shape, std::span<const int> extents) {
  std::vector<Axis> axes;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const int extent = extents[static_cast<std::size_t>(axis)];
    axes.push_back({extent, shape.wraps(axis) && extent == shape.extent(axis)});
  }
  return Shape(std::move(axes));
}

void check_box(const Shape& shape, std::span<const int> origin, std::span<const int> extents) {
  const std::size_t axes = shape.axes().size();
  bool fits = origin.size() == axes && extents.size() == axes;
  for (std::size_t axis = 0; fits && axis < axes; ++axis) {
    const auto [size, wraps] = shape.axes()[axis];
    fits = origin[axis] >= 0 && origin[axis] < size && extents[axis] >= 1 &&
           extents[axis] <= size && (wraps || extents[axis] <= size - origin[axis]);
  }
  if (!fits) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a box of {} at ({}) does not fit into {}", fmt::join(extents, "x"),
                            fmt::join(origin, ","), shape.to_string()));
  }
}

}  // namespace

Cuboid::Cuboid(const Shape& shape)
    : Cuboid(shape, Coordinate(shape.axes().size(), 0), extents_of(shape)) {}

Cuboid::Cuboid(Shape shape, Coordinate origin, std::vector<int> extents)
    : shape_(std::move(shape)), origin_(std::move(origin)), extents_(std::move(extents)) {
  check_box(shape_, origin_, extents_);
  inside_ = shape_inside(shape_, extents_);
}

bool Cuboid::contains(std::span<const int> coordinate) const {
  return place(shape_.index(coordinate)).has_value();
}

NodeIndex Cuboid::node(NodeIndex place) const {
  Coordinate coordinate = inside_.coordinate(place);
  for (std::size_t axis = 0; axis < coordinate.size(); ++axis) {
    coordinate[axis] = (coordinate[axis] + origin_[axis]) % shape_.axes()[axis].extent;
  }
  return shape_.index(coordinate);
}

std::optional<NodeIndex> Cuboid::place(NodeIndex node) const {
  Coordinate coordinate = shape_.coordinate(node);
  for (std::size_t axis = 0; axis < coordinate.size(); ++axis) {
    const int size = shape_.axes()[axis].extent;
    coordinate[axis] = (coordinate[axis] - origin_[axis] + size) % size;
    if (coordinate[axis] >= extents_[axis]) return std::nullopt;
  }
  return inside_.index(coordinate);
}

std::vector<NodeIndex> Cuboid::node_list() const {
  std::vector<NodeIndex> list;
  list.reserve(static_cast<std::size_t>(nodes()));
  for (NodeIndex place = 0; place < nodes(); ++place) list.push_back(node(place));
  return list;
}

std::string Cuboid::to_string() const {
  return fmt::format("{} at ({}) in {}", fmt::join(extents_, "x"), fmt::join(origin_, ","),
                     shape_.to_string());
}

std::vector<Cuboid> slices(const Shape& shape, std::span<const int> spanned) {
  std::vector<int> extents(shape.axes().size(), 1);
  std::vector<int> origins = extents_of(shape);
  for (const int axis : spanned) {
    if (axis < 0 || axis >= shape.dimensions() || origins[static_cast<std::size_t>(axis)] == 0) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("cannot slice along axes {} of {}", fmt::join(spanned, ","),
                              shape.to_string()));
    }
    extents[static_cast<std::size_t>(axis)] = shape.extent(axis);
    origins[static_cast<std::size_t>(axis)] = 0;
  }
  for (int& size : origins) size = std::max(size, 1);
  const Shape grid_of_origins = Shape::mesh(origins);
  std::vector<Cuboid> boxes;
  for (NodeIndex origin = 0; origin < grid_of_origins.nodes(); ++origin) {
    boxes.emplace_back(shape, grid_of_origins.coordinate(origin), extents);
  }
  return boxes;
}

std::vector<Cuboid> lines(const Shape& shape, int axis) {
  return slices(shape, std::array{axis});
}

std::vector<Cuboid> planes(const Shape& shape, int first_axis, int second_axis) {
  return slices(shape, std::array{first_axis, second_axis});
}

}  // namespace cuboid::detail
