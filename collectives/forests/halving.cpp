#include "collectives/forests/halving.hpp"

#include <cstdint>
#include <utility>

namespace cuboid::detail {

namespace {

// A box in coordinates relative to the root, and the node in it that holds the message.
struct HeldBox {
  std::vector<int> first;
  std::vector<int> end;
  std::vector<int> holder;
};

// A half of a box: the axis along which the box was cut, and the half's range and holder along that
// axis.
struct Half {
  std::size_t axis = 0;
  int first = 0;
  int end = 0;
  int holder = 0;
};

// Cuts the box across its longest axis. The box becomes the holder's half. Returns the other half,
// which is held by its node nearest to the cut.
Half give_away_half(HeldBox& box) {
  Half other;
  for (std::size_t axis = 1; axis < box.first.size(); ++axis) {
    if (box.end[axis] - box.first[axis] > box.end[other.axis] - box.first[other.axis])
      other.axis = axis;
  }
  int& first = box.first[other.axis];
  int& end = box.end[other.axis];
  other.first = first;
  other.end = end;
  const int middle = (first + end) / 2;
  if (box.holder[other.axis] < middle) {
    end = other.first = other.holder = middle;
  } else {
    first = other.end = middle;
    other.holder = middle - 1;
  }
  return other;
}

void take(HeldBox& box, const Half& half) {
  box.first[half.axis] = half.first;
  box.end[half.axis] = half.end;
  box.holder[half.axis] = half.holder;
}

// The whole shape as a box that the root holds.
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
  NodeIndex index = 0;
  for (std::size_t axis = 0; axis < relative.size(); ++axis) {
    const int extent = shape.extent(static_cast<int>(axis));
    index = index * extent + (origin[axis] + relative[axis] + extent) % extent;
  }
  return static_cast<int>(index);
}

std::int64_t nodes_of(const HeldBox& box) {
  std::int64_t product = 1;
  for (std::size_t axis = 0; axis < box.first.size(); ++axis)
    product *= box.end[axis] - box.first[axis];
  return product;
}

}  // namespace

std::vector<Edge> halving_tree(const Shape& shape, NodeIndex root) {
  const Coordinate origin = shape.coordinate(root);
  std::vector<Edge> edges;
  std::vector<HeldBox> boxes = {whole_box(shape, origin)};
  // A queue that grows while the loop works through it: all boxes of a step stand before the boxes
  // of the next step.
  for (std::size_t next = 0; next < boxes.size(); ++next) {
    while (nodes_of(boxes[next]) > 1) {
      const Half half = give_away_half(boxes[next]);
      HeldBox other = boxes[next];
      take(other, half);
      edges.push_back(
          {place(shape, origin, boxes[next].holder), place(shape, origin, other.holder)});
      boxes.push_back(std::move(other));
    }
  }
  return edges;
}

TreeNeighbours halving_neighbours(const Shape& shape, NodeIndex root, NodeIndex node) {
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
  TreeNeighbours neighbours;
  std::vector<int> parent;
  while (nodes_of(box) > 1) {
    const Half half = give_away_half(box);
    int& holder = box.holder[half.axis];
    // The node is in the box, and so in one of its halves.
    if (relative[half.axis] >= half.first && relative[half.axis] < half.end) {
      parent = box.holder;
      take(box, half);
    } else if (box.holder == relative) {
      const int own = std::exchange(holder, half.holder);
      neighbours.children.push_back(place(shape, origin, box.holder));
      holder = own;
    }
  }
  if (!parent.empty()) neighbours.parent = place(shape, origin, parent);
  return neighbours;
}

}  // namespace cuboid::detail
