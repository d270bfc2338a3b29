#include "collectives/forests/torus_tree.hpp"

namespace cuboid::detail {

namespace {

Edge edge(NodeIndex from, NodeIndex to) {
  return {static_cast<int>(from), static_cast<int>(to)};
}

int place(NodeIndex node) {
  return static_cast<int>(node);
}

}  // namespace

std::vector<Edge> TorusTree::edges() const {
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(shape_.nodes()));
  add_line(root_, axis_at(0), edges);
  // Calls `act` for the nodes reached so far, without the root and the nodes that `act` adds.
  const auto for_each_reached = [&](const auto& act) {
    const std::size_t so_far = edges.size();
    for (std::size_t i = 0; i < so_far; ++i) act(edges[i].child);
  };
  for (std::size_t position = 1; position < axes_.size(); ++position)
    for_each_reached([&](NodeIndex node) { add_line(node, axis_at(position), edges); });
  const int axis = axis_at(0);
  const int extent = shape_.extent(axis);
  const int last = (shape_.coordinate(root_, axis) - direction_ + extent) % extent;
  for_each_reached([&](NodeIndex node) {
    if (shape_.coordinate(node, axis) != last) return;
    const NodeIndex beginning = next(node, axis);  // over the wrap link
    if (beginning != root_) edges.push_back(edge(node, beginning));
  });
  return edges;
}

TreeNeighbours TorusTree::neighbours(NodeIndex node) const {
  if (node == root_) return {{}, {place(next(node, axis_at(0)))}};
  const int along = steps_from_root(node, axis_at(0));
  if (along == 0) return {place(previous(node, axis_at(0))), {}};
  std::size_t last = axes_.size() - 1;  // the line that reached this node
  while (steps_from_root(node, axis_at(last)) == 0) --last;
  TreeNeighbours neighbours{place(previous(node, axis_at(last))), {}};
  if (steps_from_root(node, axis_at(last)) + 1 < shape_.extent(axis_at(last)))
    neighbours.children.push_back(place(next(node, axis_at(last))));
  for (std::size_t position = last + 1; position < axes_.size(); ++position)
    neighbours.children.push_back(place(next(node, axis_at(position))));
  const NodeIndex beginning = next(node, axis_at(0));
  if (along + 1 == shape_.extent(axis_at(0)) && beginning != root_)
    neighbours.children.push_back(place(beginning));
  return neighbours;
}

int TorusTree::steps_from_root(NodeIndex node, int axis) const {
  const int extent = shape_.extent(axis);
  const int steps = shape_.coordinate(node, axis) - shape_.coordinate(root_, axis);
  return (direction_ * steps + extent) % extent;
}

void TorusTree::add_line(NodeIndex from, int axis, std::vector<Edge>& edges) const {
  const int extent = shape_.extent(axis);
  const NodeIndex stride = shape_.stride(axis);
  int position = shape_.coordinate(from, axis);
  const NodeIndex lowest = from - position * stride;
  for (int steps = 1; steps < extent; ++steps) {
    position = (position + direction_ + extent) % extent;
    const NodeIndex to = lowest + position * stride;
    edges.push_back(edge(from, to));
    from = to;
  }
}

}  // namespace cuboid::detail
