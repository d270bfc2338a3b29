#include "collectives/forests/halving.hpp"

#include <cstdint>
#include <utility>

namespace cuboid::detail {

namespace {

// A box in coordinates relative to the root, and the node in it that has the message.
struct HeldBox {
  std::vector<int> first;
  std::vector<int> end;
  std::vector<int> holder;
};

// Cuts the longest axis: the holder keeps its half, and the node of the other half that is nearest
// to it holds that one.
HeldBox give_away_half(HeldBox& box) {
  std::size_t longest = 0;
  for (std::size_t axis = 1; axis < box.first.size(); ++axis) {
    if (box.end[axis] - box.first[axis] > box.end[longest] - box.first[longest]) longest = axis;
  }
  const int middle = (box.first[longest] + box.end[longest]) / 2;
  HeldBox other = box;
  if (box.holder[longest] < middle) {
    box.end[longest] = other.first[longest] = other.holder[longest] = middle;
  } else {
    box.first[longest] = other.end[longest] = middle;
    other.holder[longest] = middle - 1;
  }
  return other;
}

// The whole shape as a box held by the root.
HeldBox whole_box(const Shape& shape, const Coordinate& origin) {
  HeldBox whole;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const int extent = shape.extent(axis);
    const int first = shape.wraps(axis) ? -(extent / 2) : -origin[static_cast<std::size_t>(axis)];
    whole.first.push_back(first);
    whole.end.push_back(first + extent);
    whole.holder.push_back(0);
  }
  return whole;
}

int place(const Shape& shape, const Coordinate& origin, const std::vector<int>& relative) {
  Coordinate coordinate = origin;
  for (std::size_t axis = 0; axis < relative.size(); ++axis) {
    const int extent = shape.extent(static_cast<int>(axis));
    coordinate[axis] = (origin[axis] + relative[axis] + extent) % extent;
  }
  return static_cast<int>(shape.index(coordinate));
}

std::int64_t nodes_of(const HeldBox& box) {
  std::int64_t product = 1;
  for (std::size_t axis = 0; axis < box.first.size(); ++axis)
    product *= box.end[axis] - box.first[axis];
  return product;
}

bool contains(const HeldBox& box, const std::vector<int>& relative) {
  for (std::size_t axis = 0; axis < relative.size(); ++axis) {
    if (relative[axis] < box.first[axis] || relative[axis] >= box.end[axis]) return false;
  }
  return true;
}

}  // namespace

std::vector<Edge> halving_tree(const Shape& shape, NodeIndex root) {
  const Coordinate origin = shape.coordinate(root);
  std::vector<Edge> edges;
  std::vector<HeldBox> boxes = {whole_box(shape, origin)};
  // All boxes of a step before those of the next: a queue that grows while it is worked through.
  for (std::size_t next = 0; next < boxes.size(); ++next) {
    while (nodes_of(boxes[next]) > 1) {
      HeldBox other = give_away_half(boxes[next]);
      edges.push_back(
          {place(shape, origin, boxes[next].holder), place(shape, origin, other.holder)});
      boxes.push_back(std::move(other));
    }
  }
  return edges;
}

Relatives halving_relatives(const Shape& shape, NodeIndex root, NodeIndex node) {
  const Coordinate origin = shape.coordinate(root);
  const Coordinate here = shape.coordinate(node);
  HeldBox box = whole_box(shape, origin);
  std::vector<int> relative;
  for (std::size_t axis = 0; axis < box.first.size(); ++axis) {
    const int distance = here[axis] - origin[axis];
    const int extent = shape.extent(static_cast<int>(axis));
    const int around = distance < box.first[axis]  ? extent
                       : distance >= box.end[axis] ? -extent
                                                   : 0;
    relative.push_back(distance + around);
  }
  Relatives relatives;
  while (nodes_of(box) > 1) {
    HeldBox other = give_away_half(box);
    if (contains(other, relative)) {
      relatives.parent = place(shape, origin, box.holder);
      box = std::move(other);
    } else if (box.holder == relative) {
      relatives.children.push_back(place(shape, origin, other.holder));
    }
  }
  return relatives;
}

}  // namespace cuboid::detail
