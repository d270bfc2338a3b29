#include "collectives/forests/rectangular.hpp"

#include <cuboid/error.hpp>

#include "collectives/forests/path_product.hpp"
#include "collectives/forests/torus_tree.hpp"

#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

using Edges = std::vector<Edge>;

// The levels of an axis seen from the root's level. If the axis wraps, half of them lie on each
// side. `stride` is the distance in node numbers from one level to the next.
PathProduct::Levels levels_of(const Shape& shape, NodeIndex root, int axis, NodeIndex stride) {
  const int own = shape.coordinate(root, axis);
  const int extent = shape.extent(axis);
  const int up = shape.wraps(axis) ? extent / 2 : extent - 1 - own;
  const auto distance = [&](int steps) {
    const int there = (own + steps + extent) % extent;
    return static_cast<int>((there - own) * stride);
  };
  PathProduct::Levels levels(2);
  for (int steps = 1; steps <= up; ++steps) levels[0].push_back(distance(steps));
  for (int steps = 1; steps <= extent - 1 - up; ++steps) levels[1].push_back(distance(-steps));
  return levels;
}

// The axes that trees go round (rings) and the axes that they go along (paths).
struct AxisRoles {
  std::vector<int> rings;
  std::vector<int> paths;
};

AxisRoles roles_of(const Shape& shape, Colours colours) {
  AxisRoles roles;
  std::vector<int> pairs;  // axes of two nodes, which two cables join
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    if (shape.extent(axis) == 1) continue;
    if (!shape.wraps(axis) || colours == Colours::shortest) {
      roles.paths.push_back(axis);
    } else {
      (shape.extent(axis) == 2 ? pairs : roles.rings).push_back(axis);
    }
  }
  // Both colours of such an axis go from the root to the same node, and no product can be based on
  // that.
  auto& with_pairs = roles.paths.empty() ? roles.rings : roles.paths;
  with_pairs.insert(with_pairs.end(), pairs.begin(), pairs.end());
  return roles;
}

void require_node(const Shape& shape, NodeIndex root) {
  if (root >= 0 && root < shape.nodes()) return;
  throw Error(ErrorCode::invalid_argument, fmt::format("root {} is not a node of {}; give 0 to {}",
                                                       root, shape.to_string(), shape.nodes() - 1));
}

std::vector<Edges> grow_trees(const Shape& shape, NodeIndex root, const AxisRoles& roles) {
  const auto nodes = static_cast<std::size_t>(shape.nodes());
  std::vector<Edges> trees;
  for (std::size_t first = 0; first < roles.rings.size(); ++first) {
    for (const int direction : {+1, -1})
      trees.push_back(TorusTree(shape, root, direction, roles.rings, first).edges());
  }
  for (const int axis : roles.paths) {
    trees = PathProduct(trees, static_cast<int>(root), nodes)
                .trees(levels_of(shape, root, axis, shape.stride(axis)));
  }
  return trees;
}

// A shape as levels along one of its axes. Nodes are numbered level by level, the root's level
// first, and within a level by their place in it. So a level can be used as a shape of its own.
class Levelled {
 public:
  Levelled(const Shape& shape, NodeIndex root, int axis)
      : shape_(shape), axis_(axis), own_(shape.coordinate(root, axis)), level_(flat(shape, axis)) {}

  const Shape& level() const { return level_; }
  int level_of(NodeIndex node) const { return shape_.coordinate(node, axis_) - own_; }
  NodeIndex place_in_level(NodeIndex node) const {
    const NodeIndex stride = shape_.stride(axis_);
    return node / (stride * shape_.extent(axis_)) * stride + node % stride;
  }
  /// The node of the shape that has this number.
  int node(int number) const {
    const auto size = static_cast<int>(level_.nodes());
    const int place = (number % size + size) % size;
    const NodeIndex stride = shape_.stride(axis_);
    const int level = own_ + (number - place) / size;
    return static_cast<int>((place / stride * shape_.extent(axis_) + level) * stride +
                            place % stride);
  }

 private:
  static Shape flat(const Shape& shape, int axis) {
    std::vector<Axis> axes(shape.axes().begin(), shape.axes().end());
    axes[static_cast<std::size_t>(axis)].extent = 1;
    return Shape(std::move(axes));
  }

  const Shape& shape_;
  int axis_;
  int own_;
  Shape level_;
};

// One node's part in the trees of the product with a path along `axis`; `roles` are the roles of
// the other axes.
std::vector<TreeNeighbours> along_levels(const Shape& shape, NodeIndex root, NodeIndex node,
                                         int axis, const AxisRoles& roles) {
  const Levelled levelled(shape, root, axis);
  const Shape& level = levelled.level();
  const NodeIndex root_place = levelled.place_in_level(root);
  const auto trees = grow_trees(level, root_place, roles);
  const PathProduct product(trees, static_cast<int>(root_place),
                            static_cast<std::size_t>(level.nodes()));
  auto parts = product.neighbours(levels_of(shape, root, axis, level.nodes()),
                                  static_cast<int>(levelled.place_in_level(node)),
                                  static_cast<int>(levelled.level_of(node) * level.nodes()));
  for (TreeNeighbours& part : parts) {
    if (part.parent) part.parent = levelled.node(*part.parent);
    for (int& child : part.children) child = levelled.node(child);
  }
  return parts;
}

}  // namespace

std::vector<std::vector<Edge>> rectangular_trees(const Shape& shape, NodeIndex root,
                                                 Colours colours) {
  require_node(shape, root);
  return grow_trees(shape, root, roles_of(shape, colours));
}

std::vector<TreeNeighbours> rectangular_neighbours(const Shape& shape, NodeIndex root,
                                                   NodeIndex node, Colours colours) {
  require_node(shape, root);
  AxisRoles roles = roles_of(shape, colours);
  if (!roles.paths.empty()) {
    const int axis = roles.paths.back();
    roles.paths.pop_back();
    return along_levels(shape, root, node, axis, roles);
  }
  std::vector<TreeNeighbours> trees;
  for (std::size_t first = 0; first < roles.rings.size(); ++first) {
    for (const int direction : {+1, -1})
      trees.push_back(TorusTree(shape, root, direction, roles.rings, first).neighbours(node));
  }
  return trees;
}

int rectangular_colours(const Shape& shape, Colours colours) {
  const auto [rings, paths] = roles_of(shape, colours);
  return static_cast<int>(2 * rings.size() + paths.size());
}

int rectangular_depth(const Shape& shape, Colours colours) {
  const auto [rings, paths] = roles_of(shape, colours);
  int depth = rings.size() > 1 || (!rings.empty() && !paths.empty()) ? 1 : 0;
  for (const int axis : rings) depth += shape.extent(axis) - 1;
  bool detour = false;
  for (const int axis : paths) {
    const int levels = shape.wraps(axis) ? shape.extent(axis) / 2 : shape.extent(axis) - 1;
    depth += levels;
    detour = detour || levels == 1;
  }
  // The colour of a path reaches the root's own level from the level beside it. Only if there is no
  // other colour, that is one step deeper than the deepest branch of the other trees.
  if (rings.empty() && paths.size() > 1 && detour) ++depth;
  return depth;
}

}  // namespace cuboid::detail
