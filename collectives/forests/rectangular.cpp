#include "collectives/forests/rectangular.hpp"

#include <cuboid/error.hpp>

#include <limits>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

using Edges = std::vector<Edge>;

// One colour of the axes that wrap. In coordinates relative to the root and mirrored by the
// colour's direction s, colour (a, s) is a line along a; then, for each further axis in turn (mod
// d), lines along it from every node reached but the root; last the nodes with x_a = 0 from those
// with x_a = l_a − 1, over the wrap link. The colours of one direction use links of that direction
// only.
class TorusTree {
 public:
  TorusTree(const Shape& shape, NodeIndex root, int direction)
      : shape_(shape), root_(root), direction_(direction) {}

  Edges grow(const std::vector<int>& axes, std::size_t first) && {
    line(root_, axes[first]);
    for (std::size_t further = 1; further < axes.size(); ++further) {
      for_each_reached([&](NodeIndex node) { line(node, axes[(first + further) % axes.size()]); });
    }
    for_each_reached([&](NodeIndex node) { close(node, axes[first]); });
    return std::move(edges_);
  }

  // What `node` does in the tree that grow() makes.
  Relatives relatives(const std::vector<int>& axes, std::size_t first, NodeIndex node) const {
    if (node == root_) return {{}, {place(next(node, axes[first]))}};
    const auto axis_at = [&](std::size_t turn) { return axes[(first + turn) % axes.size()]; };
    const Coordinate here = shape_.coordinate(node);
    const Coordinate origin = shape_.coordinate(root_);
    const auto steps_along = [&](int axis) {
      const auto a = static_cast<std::size_t>(axis);
      const int extent = shape_.extent(axis);
      return (direction_ * (here[a] - origin[a]) + extent) % extent;
    };
    const int along = steps_along(axis_at(0));
    if (along == 0) return {place(shape_.neighbour(node, axis_at(0), -direction_)), {}};
    std::size_t last = axes.size() - 1;  // the line that reached this node
    while (steps_along(axis_at(last)) == 0) --last;
    Relatives relatives{place(shape_.neighbour(node, axis_at(last), -direction_)), {}};
    if (steps_along(axis_at(last)) + 1 < shape_.extent(axis_at(last)))
      relatives.children.push_back(place(next(node, axis_at(last))));
    for (std::size_t turn = last + 1; turn < axes.size(); ++turn)
      relatives.children.push_back(place(next(node, axis_at(turn))));
    const NodeIndex beginning = next(node, axis_at(0));
    if (along + 1 == shape_.extent(axis_at(0)) && beginning != root_)
      relatives.children.push_back(place(beginning));
    return relatives;
  }

 private:
  static int place(NodeIndex node) { return static_cast<int>(node); }
  NodeIndex next(NodeIndex node, int axis) const {
    return shape_.neighbour(node, axis, direction_);
  }

  // Those reached so far, the root apart; not those that `act` reaches.
  template <class Act>
  void for_each_reached(const Act& act) {
    const std::size_t so_far = edges_.size();
    for (std::size_t i = 0; i < so_far; ++i) act(edges_[i].child);
  }

  void step(NodeIndex from, NodeIndex to) {
    edges_.push_back({static_cast<int>(from), static_cast<int>(to)});
  }

  void line(NodeIndex from, int axis) {
    for (int steps = 1; steps < shape_.extent(axis); ++steps) {
      const NodeIndex to = shape_.neighbour(from, axis, direction_);
      step(from, to);
      from = to;
    }
  }

  // From the end of a line along `axis` over the wrap link to its beginning.
  void close(NodeIndex from, int axis) {
    const NodeIndex beginning = shape_.neighbour(from, axis, direction_);
    const auto a = static_cast<std::size_t>(axis);
    const bool at_end = shape_.coordinate(beginning)[a] == shape_.coordinate(root_)[a];
    if (at_end && beginning != root_) step(from, beginning);
  }

  const Shape& shape_;
  NodeIndex root_;
  int direction_;
  Edges edges_;
};

// The trees of the product of a graph G with a path, from those of G: one colour more. The path's
// levels are copies of G, `levels[i]` going outwards from the root's own in one direction, as
// distances in node numbers.
//
// In its own level each tree of G stays as it is. In every other level the new colour comes in at
// the root's copy r and spreads along S: the shallowest spanning tree of links of the trees of G,
// which has all their links out of r. A tree of G that lost to S its link into a node
// comes into that node from the level before instead; it keeps its other links, which hang below
// such nodes, as none is left out of r; and it comes to r from its first child, over a link that no
// tree out of r uses. The new colour reaches the other nodes of the root's own level by stepping
// back, over links that nobody else uses.
class PathProduct {
 public:
  using Levels = std::vector<std::vector<int>>;

  PathProduct(const std::vector<Edges>& trees, int root, std::size_t nodes)
      : trees_(trees), root_(root), lost_by_(nodes, nobody) {
    std::vector<std::vector<Link>> links_from(nodes);
    for (std::size_t colour = 0; colour < trees.size(); ++colour) {
      for (const Edge& edge : trees[colour])
        links_from[static_cast<std::size_t>(edge.parent)].push_back({edge.child, colour});
    }
    std::vector<int> reached = {root};
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const int parent = reached[next];
      for (const auto& [child, colour] : links_from[static_cast<std::size_t>(parent)]) {
        std::size_t& loser = lost_by_[static_cast<std::size_t>(child)];
        if (loser != nobody || child == root) continue;
        loser = colour;
        spreading_.push_back({parent, child});
        reached.push_back(child);
      }
    }
  }

  std::vector<Edges> trees(const Levels& levels) const {
    std::vector<Edges> product;
    for (std::size_t colour = 0; colour < trees_.size(); ++colour) {
      Edges edges = trees_[colour];
      for_each_level(levels, [&](int before, int level) { lift(colour, before, level, edges); });
      product.push_back(std::move(edges));
    }
    Edges along;
    for_each_level(levels, [&](int before, int level) {
      along.push_back({root_ + before, root_ + level});
    });
    for_each_level(levels, [&](int, int level) {
      for (const Edge& edge : spreading_) along.push_back(shifted(edge, level));
    });
    const auto& side = levels[0].empty() ? levels[1] : levels[0];
    for (const Edge& edge : spreading_) along.push_back({edge.child + side.front(), edge.child});
    product.push_back(std::move(along));
    return product;
  }

  // What one node does in trees(): the copy of `node` of the root's own level, so far from it.
  std::vector<Relatives> relatives(const Levels& levels, int node, int level) const {
    const Place place = place_in(levels, level);
    std::vector<Relatives> product;
    for (std::size_t colour = 0; colour < trees_.size(); ++colour)
      product.push_back(level == 0 ? in_own_level(colour, node, place.next)
                                   : in_other_level(colour, node, level, place));
    product.push_back(along_path(levels, node, level, place));
    return product;
  }

 private:
  struct Link {
    int child;
    std::size_t colour;
  };
  static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

  static Edge shifted(const Edge& edge, int level) {
    return {edge.parent + level, edge.child + level};
  }

  template <class Act>
  static void for_each_level(const Levels& levels, const Act& act) {
    for (const auto& side : levels) {
      int before = 0;
      for (const int level : side) {
        act(before, level);
        before = level;
      }
    }
  }

  // The part of a tree of G in another level than the root's own.
  void lift(std::size_t colour, int before, int level, Edges& edges) const {
    const auto lost = [&](const Edge& edge) {
      return lost_by_[static_cast<std::size_t>(edge.child)] == colour;
    };
    for (const Edge& edge : trees_[colour]) {
      if (lost(edge)) edges.push_back({edge.child + before, edge.child + level});
    }
    for (const Edge& edge : trees_[colour]) {
      if (!lost(edge)) edges.push_back(shifted(edge, level));
    }
    edges.push_back({trees_[colour].front().child + level, root_ + level});
  }

  // The levels beside a level: the one before it, seen from the root's, and those after it.
  struct Place {
    int before = 0;
    std::vector<int> next = {};
  };
  static Place place_in(const Levels& levels, int level) {
    Place place;
    for (const auto& side : levels) {
      int before = 0;
      for (const int here : side) {
        if (here == level) place.before = before;
        if (before == level) place.next.push_back(here);
        before = here;
      }
    }
    return place;
  }

  Relatives in_own_level(std::size_t colour, int node, const std::vector<int>& next) const {
    Relatives relatives;
    for (const auto& [parent, child] : trees_[colour]) {
      if (child == node) relatives.parent = parent;
      if (parent == node) relatives.children.push_back(child);
    }
    if (lost_by_[static_cast<std::size_t>(node)] != colour) return relatives;
    for (const int level : next) relatives.children.push_back(node + level);
    return relatives;
  }

  Relatives in_other_level(std::size_t colour, int node, int level, const Place& place) const {
    const auto lost = [&](int child) {
      return lost_by_[static_cast<std::size_t>(child)] == colour;
    };
    const int into_root = trees_[colour].front().child;
    Relatives relatives;
    if (node == root_) relatives.parent = into_root + level;
    if (lost(node)) relatives.parent = node + place.before;
    for (const auto& [parent, child] : trees_[colour]) {
      if (lost(child)) continue;
      if (child == node) relatives.parent = parent + level;
      if (parent == node) relatives.children.push_back(child + level);
    }
    if (node == into_root) relatives.children.push_back(root_ + level);
    if (!lost(node)) return relatives;
    for (const int next : place.next) relatives.children.push_back(node + next);
    return relatives;
  }

  Relatives along_path(const Levels& levels, int node, int level, const Place& place) const {
    const int stepping_back = (levels[0].empty() ? levels[1] : levels[0]).front();
    Relatives relatives;
    if (level == 0 && node != root_) return {node + stepping_back, {}};
    if (node == root_) {
      if (level != 0) relatives.parent = root_ + place.before;
      for (const int next : place.next) relatives.children.push_back(root_ + next);
      if (level == 0) return relatives;
    }
    for (const auto& [parent, child] : spreading_) {
      if (child == node) relatives.parent = parent + level;
      if (parent == node) relatives.children.push_back(child + level);
    }
    if (level == stepping_back && node != root_) relatives.children.push_back(node);
    return relatives;
  }

  const std::vector<Edges>& trees_;
  int root_;
  std::vector<std::size_t> lost_by_;  // by node: the tree of G whose link into it S took
  Edges spreading_;                   // S
};

// The levels of an axis seen from the root's: where it wraps, half of them each way. `stride` is
// the distance in node numbers of one level to the next.
PathProduct::Levels levels_of(const Shape& shape, NodeIndex root, int axis, NodeIndex stride) {
  const int own = shape.coordinate(root)[static_cast<std::size_t>(axis)];
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

// Which axes the trees go round, and which they go along as along a path.
struct AxisRoles {
  std::vector<int> rings;
  std::vector<int> paths;
};

AxisRoles roles_of(const Shape& shape, Colours colours) {
  AxisRoles roles;
  std::vector<int> pairs;  // two nodes, two cables
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    if (shape.extent(axis) == 1) continue;
    if (!shape.wraps(axis) || colours == Colours::shortest) {
      roles.paths.push_back(axis);
    } else {
      (shape.extent(axis) == 2 ? pairs : roles.rings).push_back(axis);
    }
  }
  // Both colours of a pair leave the root for the same node: that is no base for a product.
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
      trees.push_back(TorusTree(shape, root, direction).grow(roles.rings, first));
  }
  for (const int axis : roles.paths) {
    trees = PathProduct(trees, static_cast<int>(root), nodes)
                .trees(levels_of(shape, root, axis, shape.stride(axis)));
  }
  return trees;
}

// A shape as levels along one of its axes. Nodes are numbered level by level, the root's own first,
// by their place in a level: so one level can be looked at as if it were all there is.
class Levelled {
 public:
  Levelled(const Shape& shape, NodeIndex root, int axis)
      : shape_(shape),
        axis_(static_cast<std::size_t>(axis)),
        own_(shape.coordinate(root)[axis_]),
        level_(flat(shape, axis)) {}

  const Shape& level() const { return level_; }
  int level_of(NodeIndex node) const { return shape_.coordinate(node)[axis_] - own_; }
  NodeIndex place_in_level(NodeIndex node) const {
    Coordinate coordinate = shape_.coordinate(node);
    coordinate[axis_] = 0;
    return level_.index(coordinate);
  }
  /// The node of the shape that has this number.
  int node(int number) const {
    const auto size = static_cast<int>(level_.nodes());
    const int place = (number % size + size) % size;
    Coordinate coordinate = level_.coordinate(place);
    coordinate[axis_] = own_ + (number - place) / size;
    return static_cast<int>(shape_.index(coordinate));
  }

 private:
  static Shape flat(const Shape& shape, int axis) {
    std::vector<Axis> axes(shape.axes().begin(), shape.axes().end());
    axes[static_cast<std::size_t>(axis)].extent = 1;
    return Shape(std::move(axes));
  }

  const Shape& shape_;
  std::size_t axis_;
  int own_;
  Shape level_;
};

// What one node does in the trees of the product with a path along `axis`; `roles` are those of the
// other axes.
std::vector<Relatives> along_levels(const Shape& shape, NodeIndex root, NodeIndex node, int axis,
                                    const AxisRoles& roles) {
  const Levelled levelled(shape, root, axis);
  const Shape& level = levelled.level();
  const NodeIndex root_place = levelled.place_in_level(root);
  const auto trees = grow_trees(level, root_place, roles);
  const PathProduct product(trees, static_cast<int>(root_place),
                            static_cast<std::size_t>(level.nodes()));
  auto parts = product.relatives(levels_of(shape, root, axis, level.nodes()),
                                 static_cast<int>(levelled.place_in_level(node)),
                                 static_cast<int>(levelled.level_of(node) * level.nodes()));
  for (Relatives& part : parts) {
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

std::vector<Relatives> rectangular_relatives(const Shape& shape, NodeIndex root, NodeIndex node,
                                             Colours colours) {
  require_node(shape, root);
  AxisRoles roles = roles_of(shape, colours);
  if (!roles.paths.empty()) {
    const int axis = roles.paths.back();
    roles.paths.pop_back();
    return along_levels(shape, root, node, axis, roles);
  }
  std::vector<Relatives> trees;
  for (std::size_t first = 0; first < roles.rings.size(); ++first) {
    for (const int direction : {+1, -1})
      trees.push_back(TorusTree(shape, root, direction).relatives(roles.rings, first, node));
  }
  return trees;
}

int rectangular_colours(const Shape& shape, Colours colours) {
  const auto [rings, paths] = roles_of(shape, colours);
  return static_cast<int>(2 * rings.size() + paths.size());
}

int rectangular_depth(const Shape& shape, Colours colours) {
  const auto [rings, paths] = roles_of(shape, colours);
  int depth = 1;
  for (const int axis : rings) depth += shape.extent(axis) - 1;
  for (const int axis : paths)
    depth += shape.wraps(axis) ? shape.extent(axis) / 2 : shape.extent(axis) - 1;
  return depth;
}

}  // namespace cuboid::detail
