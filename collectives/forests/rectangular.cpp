#include <cuboid/base/error.hpp>
#include <cuboid/collectives/forests/rectangular.hpp>

#include <fmt/format.h>

namespace cuboid {

namespace {

// Grows one colour's tree. Positions are relative to the root: on a torus axis 0 … l − 1 in the
// colour's direction, on a mesh axis from −root to l − 1 − root.
class ColourTree {
 public:
  ColourTree(const Shape& shape, Coordinate root, int axis, int direction)
      : shape_(shape), root_(std::move(root)), direction_(direction) {
    const Position origin(static_cast<std::size_t>(shape.dimensions()), 0);
    line(origin, axis);
    for (int further = 1; further < shape.dimensions(); ++further) {
      const int along = (axis + further) % shape.dimensions();
      const std::size_t reached_before = reached_.size();
      for (std::size_t i = 0; i < reached_before; ++i) line(reached_[i], along);
    }
    const std::size_t reached_before = reached_.size();
    for (std::size_t i = 0; i < reached_before; ++i) step_back(reached_[i], axis);
  }

  std::vector<Edge> edges() && { return std::move(edges_); }

 private:
  using Position = std::vector<int>;

  int lowest(int axis) const {
    return shape_.wraps(axis) ? 0 : -root_[static_cast<std::size_t>(axis)];
  }
  int highest(int axis) const { return lowest(axis) + shape_.extent(axis) - 1; }

  int place(const Position& position) const {
    Coordinate coordinate = root_;
    for (int axis = 0; axis < shape_.dimensions(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const int extent = shape_.extent(axis);
      const int step = shape_.wraps(axis) ? direction_ * position[a] : position[a];
      coordinate[a] = (coordinate[a] + step + extent) % extent;
    }
    return static_cast<int>(shape_.index(coordinate));
  }

  // By value: `reached_`, where the start may come from, grows meanwhile.
  void line(Position start, int axis) {
    for (const int direction : {+1, -1}) {
      const int steps = direction > 0 ? highest(axis) : -lowest(axis);
      Position from = start;
      for (int step = 0; step < steps; ++step) {
        Position to = from;
        to[static_cast<std::size_t>(axis)] += direction;
        edges_.push_back({place(from), place(to)});
        reached_.push_back(to);
        from = std::move(to);
      }
    }
  }

  // The "ghosts": the nodes with x_axis = 0, the root apart, from their neighbour beyond the end of
  // the line.
  void step_back(const Position& from, int axis) {
    const auto a = static_cast<std::size_t>(axis);
    const int last = shape_.wraps(axis) ? highest(axis) : (highest(axis) >= 1 ? 1 : -1);
    if (from[a] != last) return;
    Position ghost = from;
    ghost[a] = 0;
    if (place(ghost) != static_cast<int>(shape_.index(root_)))
      edges_.push_back({place(from), place(ghost)});
  }

  const Shape& shape_;
  Coordinate root_;
  int direction_;
  std::vector<Position> reached_;
  std::vector<Edge> edges_;
};

}  // namespace

bool has_rectangular_trees(const Shape& shape) {
  int wrapping = 0;
  int proper = 0;
  for (const Axis& axis : shape.axes()) {
    if (axis.extent == 1) continue;
    ++proper;
    if (axis.wraps) ++wrapping;
  }
  return proper > 0 && (wrapping == 0 || wrapping == proper);
}

std::vector<std::vector<Edge>> rectangular_trees(const Shape& shape, NodeIndex root) {
  if (root < 0 || root >= shape.nodes()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("root {} is not a node of {}; give 0 to {}", root, shape.to_string(),
                            shape.nodes() - 1));
  }
  // Row-major places stay what they are when axes of extent 1 go.
  std::vector<Axis> axes;
  for (const Axis& axis : shape.axes()) {
    if (axis.extent > 1) axes.push_back(axis);
  }
  const Shape proper(axes);
  if (!axes.empty() && !has_rectangular_trees(shape)) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("{}: rectangular trees need all axes to wrap, or none", shape.to_string()));
  }
  std::vector<std::vector<Edge>> trees;
  for (int axis = 0; axis < proper.dimensions(); ++axis) {
    for (const int direction : {+1, -1}) {
      if (direction < 0 && !proper.wraps(axis)) continue;  // a mesh line leaves both ways at once
      trees.push_back(ColourTree(proper, proper.coordinate(root), axis, direction).edges());
    }
  }
  return trees;
}

Forest rectangular_forest(const Contract& contract, Flow flow, const GroupShape& group,
                          std::size_t element_bytes) {
  std::vector<int> place_of_rank(group.rank_of_place.size());
  for (std::size_t place = 0; place < group.rank_of_place.size(); ++place) {
    place_of_rank[static_cast<std::size_t>(group.rank_of_place[place])] = static_cast<int>(place);
  }
  Forest forest{.ranks = contract.ranks, .flow = flow};
  for (std::size_t block = 0; block < contract.blocks.size(); ++block) {
    const Block& carried = contract.blocks[block];
    const auto root =
        (flow == Flow::multicast ? carried.before : carried.after).value_or(group.rank_of_place[0]);
    auto trees = rectangular_trees(group.shape, place_of_rank[static_cast<std::size_t>(root)]);
    const std::size_t elements = carried.slice.bytes / element_bytes;
    std::size_t offset = carried.slice.offset;
    for (std::size_t colour = 0; colour < trees.size(); ++colour) {
      const std::size_t share =
          elements / trees.size() + (colour < elements % trees.size() ? 1 : 0);
      Tree tree{
          .block = static_cast<int>(block), .slice = {offset, share * element_bytes}, .root = root};
      for (const auto& [parent, child] : trees[colour]) {
        tree.edges.push_back({group.rank_of_place[static_cast<std::size_t>(parent)],
                              group.rank_of_place[static_cast<std::size_t>(child)]});
      }
      tree.channel = static_cast<std::uint32_t>(forest.trees.size());
      offset += tree.slice.bytes;
      forest.trees.push_back(std::move(tree));
    }
  }
  return forest;
}

}  // namespace cuboid
