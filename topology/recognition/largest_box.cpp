#include <cuboid/topology/recognition/largest_box.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace cuboid::recognition {
namespace {

constexpr int axis_none = -1;

/// A complete box of vertices, row-major, that grows.
class Box {
 public:
  Box(const Graph& graph, int seed)
      : graph_(graph),
        shape_(),
        vertices_{seed},
        used_(static_cast<std::size_t>(graph.vertices()), false) {
    used_[static_cast<std::size_t>(seed)] = true;
  }

  int dimensions() const { return shape_.dimensions(); }

  /// Adds a layer beyond the last (direction +1) or first (-1) one of an axis; false where there is
  /// none.
  bool extend(int axis, int direction) {
    const int face = direction > 0 ? shape_.extent(axis) - 1 : 0;
    const std::optional<std::vector<int>> layer = layer_beyond(axis, face);
    if (!layer) return false;
    std::vector<Axis> axes = shape_.axes();
    const int old_extent = axes[static_cast<std::size_t>(axis)].extent++;
    insert_layer(axis, direction > 0 ? old_extent : 0, Shape(std::move(axes)), *layer);
    return true;
  }

  /// Adds an axis of extent 2; false where no second layer is found.
  bool add_axis() {
    if (dimensions() == Shape::max_axes) return false;
    const std::optional<std::vector<int>> layer = layer_beyond(axis_none, 0);
    if (!layer) return false;
    std::vector<Axis> axes = shape_.axes();
    axes.push_back({1, false});
    shape_ = Shape(axes);
    axes.back().extent = 2;
    insert_layer(shape_.dimensions() - 1, 1, Shape(std::move(axes)), *layer);
    return true;
  }

  /// The box as an embedding, with its axes of extent 3 and more wrapping where the graph has all
  /// the cables.
  Embedding embedding() const {
    std::vector<Axis> axes = shape_.axes();
    for (int axis = 0; axis < dimensions(); ++axis) {
      axes[static_cast<std::size_t>(axis)].wraps = shape_.extent(axis) >= 3 && closes(axis);
    }
    Embedding embedding{Shape(std::move(axes)),
                        std::vector<NodeIndex>(static_cast<std::size_t>(graph_.vertices()), -1)};
    for (std::size_t place = 0; place < vertices_.size(); ++place) {
      embedding.place[static_cast<std::size_t>(vertices_[place])] = static_cast<NodeIndex>(place);
    }
    return embedding;
  }

 private:
  int at(NodeIndex place) const { return vertices_[static_cast<std::size_t>(place)]; }

  int position(NodeIndex place, int axis) const {
    return axis == axis_none ? 0
                             : static_cast<int>(place / shape_.stride(axis) % shape_.extent(axis));
  }

  /// An unused neighbour for every vertex of a face (position `face` of the axis), cabled to each
  /// other as the face is, in order of place; for no axis, of the whole box.
  std::optional<std::vector<int>> layer_beyond(int axis, int face) const {
    std::vector<NodeIndex> places;
    for (NodeIndex place = 0; place < shape_.nodes(); ++place) {
      if (position(place, axis) == face) places.push_back(place);
    }
    for (const Neighbour& start : graph_.neighbours(at(places.front()))) {
      if (used_[static_cast<std::size_t>(start.vertex)]) continue;
      if (auto layer = layer_from(axis, places, start.vertex)) return layer;
    }
    return std::nullopt;
  }

  /// The same with the first vertex's neighbour given. The others follow: each is taken next to
  /// those before it.
  std::optional<std::vector<int>> layer_from(int axis, const std::vector<NodeIndex>& places,
                                             int start) const {
    std::vector<int> beyond(vertices_.size(), -1);
    std::vector<int> layer;
    for (const NodeIndex place : places) {
      const auto fits = [&](int vertex) {
        if (used_[static_cast<std::size_t>(vertex)] ||
            std::ranges::find(layer, vertex) != layer.end())
          return false;
        for (int other = 0; other < dimensions(); ++other) {
          if (other == axis || position(place, other) == 0) continue;
          const NodeIndex before = place - shape_.stride(other);
          if (graph_.edge_between(beyond[static_cast<std::size_t>(before)], vertex) < 0)
            return false;
        }
        return true;
      };
      int found = -1;
      for (const Neighbour& neighbour : graph_.neighbours(at(place))) {
        if (layer.empty() ? neighbour.vertex == start : fits(neighbour.vertex)) {
          found = neighbour.vertex;
          break;
        }
      }
      if (found < 0) return std::nullopt;
      beyond[static_cast<std::size_t>(place)] = found;
      layer.push_back(found);
    }
    return layer;
  }

  /// Makes room for a layer at `position_of_layer` of an axis.
  void insert_layer(int axis, int position_of_layer, Shape grown, const std::vector<int>& layer) {
    std::vector<int> vertices;
    std::size_t next_old = 0;
    std::size_t next_new = 0;
    std::swap(shape_, grown);
    for (NodeIndex place = 0; place < shape_.nodes(); ++place) {
      const bool is_new = position(place, axis) == position_of_layer;
      vertices.push_back(is_new ? layer[next_new++] : vertices_[next_old++]);
    }
    vertices_ = std::move(vertices);
    for (const int vertex : layer) used_[static_cast<std::size_t>(vertex)] = true;
  }

  bool closes(int axis) const {
    const NodeIndex length = shape_.stride(axis) * (shape_.extent(axis) - 1);
    for (NodeIndex place = 0; place < shape_.nodes(); ++place) {
      if (position(place, axis) != 0) continue;
      if (graph_.edge_between(at(place), at(place + length)) < 0) return false;
    }
    return true;
  }

  const Graph& graph_;
  Shape shape_;
  std::vector<int> vertices_;
  std::vector<bool> used_;
};

bool extend_all(Box& box) {
  bool grown = false;
  for (int axis = 0; axis < box.dimensions(); ++axis) {
    for (const int direction : {+1, -1}) {
      while (box.extend(axis, direction)) grown = true;
    }
  }
  return grown;
}

/// Long lines first, then planes of them, and so on.
void grow_lines_first(Box& box) {
  extend_all(box);
  while (box.add_axis()) extend_all(box);
}

/// As many axes as there are first, then their lengths.
void grow_axes_first(Box& box) {
  while (box.add_axis()) {
  }
  while (extend_all(box)) {
  }
}

}  // namespace

Embedding largest_box(const Graph& graph) {
  // Enough seeds to meet a large box by chance; all of them where the graph is small.
  constexpr int most_seeds = 256;
  const int step = std::max(1, graph.vertices() / most_seeds);
  std::optional<Embedding> largest;
  const auto size = [](const Embedding& box) {
    return std::pair(box.shape.cables(), box.shape.nodes());
  };
  for (int seed = 0; seed < graph.vertices(); seed += step) {
    for (const auto grow : {grow_lines_first, grow_axes_first}) {
      Box box(graph, seed);
      grow(box);
      Embedding embedding = box.embedding();
      if (!largest || size(embedding) > size(*largest)) largest = std::move(embedding);
    }
  }
  return std::move(*largest);
}

}  // namespace cuboid::recognition
