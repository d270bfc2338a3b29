#include "collectives/forests/path_product.hpp"

#include <numeric>
#include <span>
#include <utility>

namespace cuboid::detail {

namespace {

using Edges = std::vector<Edge>;

Edge shifted(const Edge& edge, int level) {
  return {edge.parent + level, edge.child + level};
}

template <class Act>
void for_each_level(const PathProduct::Levels& levels, const Act& act) {
  for (const auto& side : levels) {
    int before = 0;
    for (const int level : side) {
      act(before, level);
      before = level;
    }
  }
}

}  // namespace

PathProduct::PathProduct(const std::vector<Edges>& trees, int root, std::size_t nodes)
    : trees_(trees), root_(root), lost_by_(nodes, nobody) {
  struct Link {
    int child;
    std::size_t colour;
  };
  // The links from a node lie together, in the order of their colours.
  std::vector<std::size_t> begin(nodes + 1);
  for (const Edges& edges : trees) {
    for (const Edge& edge : edges) ++begin[static_cast<std::size_t>(edge.parent) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Link> links(begin.back());
  std::vector<std::size_t> next_place = begin;
  for (std::size_t colour = 0; colour < trees.size(); ++colour) {
    for (const Edge& edge : trees[colour])
      links[next_place[static_cast<std::size_t>(edge.parent)]++] = {edge.child, colour};
  }
  const auto links_from = [&](int parent) {
    const auto node = static_cast<std::size_t>(parent);
    return std::span(links).subspan(begin[node], begin[node + 1] - begin[node]);
  };
  std::vector<int> reached = {root};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const int parent = reached[next];
    for (const auto& [child, colour] : links_from(parent)) {
      std::size_t& loser = lost_by_[static_cast<std::size_t>(child)];
      if (loser != nobody || child == root) continue;
      loser = colour;
      spreading_.push_back({parent, child});
      reached.push_back(child);
    }
  }
}

std::vector<Edges> PathProduct::trees(const Levels& levels) const {
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

std::vector<TreeNeighbours> PathProduct::neighbours(const Levels& levels, int node,
                                                    int level) const {
  const LevelNeighbours place = place_in(levels, level);
  std::vector<TreeNeighbours> product;
  for (std::size_t colour = 0; colour < trees_.size(); ++colour)
    product.push_back(level == 0 ? in_own_level(colour, node, place.next)
                                 : in_other_level(colour, node, level, place));
  product.push_back(along_path(levels, node, level, place));
  return product;
}

// Adds the edges of a tree of G in a level other than the root's own.
void PathProduct::lift(std::size_t colour, int before, int level, Edges& edges) const {
  for (const Edge& edge : trees_[colour]) {
    if (lost(colour, edge.child)) edges.push_back({edge.child + before, edge.child + level});
  }
  for (const Edge& edge : trees_[colour]) {
    if (!lost(colour, edge.child)) edges.push_back(shifted(edge, level));
  }
  edges.push_back({trees_[colour].front().child + level, root_ + level});
}

PathProduct::LevelNeighbours PathProduct::place_in(const Levels& levels, int level) {
  LevelNeighbours place;
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

TreeNeighbours PathProduct::in_own_level(std::size_t colour, int node,
                                         const std::vector<int>& next) const {
  TreeNeighbours neighbours;
  for (const auto& [parent, child] : trees_[colour]) {
    if (child == node) neighbours.parent = parent;
    if (parent == node) neighbours.children.push_back(child);
  }
  if (!lost(colour, node)) return neighbours;
  for (const int level : next) neighbours.children.push_back(node + level);
  return neighbours;
}

TreeNeighbours PathProduct::in_other_level(std::size_t colour, int node, int level,
                                           const LevelNeighbours& place) const {
  const int into_root = trees_[colour].front().child;
  TreeNeighbours neighbours;
  if (node == root_) neighbours.parent = into_root + level;
  if (lost(colour, node)) neighbours.parent = node + place.before;
  for (const auto& [parent, child] : trees_[colour]) {
    if (lost(colour, child)) continue;
    if (child == node) neighbours.parent = parent + level;
    if (parent == node) neighbours.children.push_back(child + level);
  }
  if (node == into_root) neighbours.children.push_back(root_ + level);
  if (!lost(colour, node)) return neighbours;
  for (const int next : place.next) neighbours.children.push_back(node + next);
  return neighbours;
}

TreeNeighbours PathProduct::along_path(const Levels& levels, int node, int level,
                                       const LevelNeighbours& place) const {
  const int stepping_back = (levels[0].empty() ? levels[1] : levels[0]).front();
  TreeNeighbours neighbours;
  if (level == 0 && node != root_) return {node + stepping_back, {}};
  if (node == root_) {
    if (level != 0) neighbours.parent = root_ + place.before;
    for (const int next : place.next) neighbours.children.push_back(root_ + next);
    if (level == 0) return neighbours;
  }
  for (const auto& [parent, child] : spreading_) {
    if (child == node) neighbours.parent = parent + level;
    if (parent == node) neighbours.children.push_back(child + level);
  }
  if (level == stepping_back && node != root_) neighbours.children.push_back(node);
  return neighbours;
}

}  // namespace cuboid::detail
