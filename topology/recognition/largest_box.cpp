#include "topology/recognition/largest_box.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace cuboid::detail::recognition {
namespace {

constexpr int axis_none = -1;

/// A complete box of vertices, row-major, which grows.
class Box {
 public:
  /// @param work  the number of neighbours that may still be examined while boxes grow; counted
  ///              down.
  Box(const Graph& graph, int seed, std::int64_t& work)
      : graph_(graph),
        work_(work),
        vertices_{seed},
        used_(static_cast<std::size_t>(graph.vertices()), false),
        beyond_(static_cast<std::size_t>(graph.vertices()), -1) {
    used_[static_cast<std::size_t>(seed)] = true;
  }

  int dimensions() const { return shape_.dimensions(); }

  /// Adds a layer beyond the last (direction +1) or first (-1) layer of an axis; false if there is
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

  /// Adds an axis of extent 2; false if no second layer is found.
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

  /// The box as an embedding. Its axes of extent 3 and more wrap if the graph has all the cables
  /// between both ends.
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
  bool is_used(int vertex) const { return used_[static_cast<std::size_t>(vertex)]; }

  int at(NodeIndex place) const { return vertices_[static_cast<std::size_t>(place)]; }

  /// The places at one position of an axis, ascending; all places if `axis` is axis_none.
  std::vector<NodeIndex> face_places(int axis, int face) const {
    const NodeIndex inner = axis == axis_none ? shape_.nodes() : shape_.stride(axis);
    const NodeIndex block = axis == axis_none ? inner : inner * shape_.extent(axis);
    std::vector<NodeIndex> places;
    for (NodeIndex first = face * inner; first < shape_.nodes(); first += block) {
      for (NodeIndex place = first; place < first + inner; ++place) places.push_back(place);
    }
    return places;
  }

  /// For each vertex of a face, an unused neighbour, in order of place. The neighbours are cabled
  /// to each other like the vertices of the face. The face is at position `face` of the axis;
  /// without an axis it is the whole box. Marks the neighbours as used.
  std::optional<std::vector<int>> layer_beyond(int axis, int face) {
    const std::vector<NodeIndex> places = face_places(axis, face);
    for (const Neighbour& start : graph_.neighbours(at(places.front()))) {
      if (work_ < 0) return std::nullopt;
      --work_;
      if (is_used(start.vertex)) continue;
      if (auto layer = layer_from(axis, places, start.vertex)) return layer;
    }
    return std::nullopt;
  }

  /// Finds such a layer if the neighbour of the face's first vertex is given. Each further
  /// neighbour is found next to the neighbours before it.
  std::optional<std::vector<int>> layer_from(int axis, const std::vector<NodeIndex>& places,
                                             int start) {
    std::vector<int> layer;
    for (const NodeIndex place : places) {
      const auto found =
          std::ranges::find_if(graph_.neighbours(at(place)), [&](const Neighbour& neighbour) {
            --work_;
            return layer.empty() ? neighbour.vertex == start
                                 : !is_used(neighbour.vertex) &&
                                       continues_layer(axis, place, neighbour.vertex);
          });
      if (found == graph_.neighbours(at(place)).end()) {
        for (const int vertex : layer) used_[static_cast<std::size_t>(vertex)] = false;
        return std::nullopt;
      }
      beyond_[static_cast<std::size_t>(at(place))] = found->vertex;
      used_[static_cast<std::size_t>(found->vertex)] = true;
      layer.push_back(found->vertex);
    }
    return layer;
  }

  /// True if `vertex`, which is beyond a place, is cabled to the vertices that are beyond the
  /// preceding places of the face.
  bool continues_layer(int axis, NodeIndex place, int vertex) {
    for (int other = 0; other < dimensions(); ++other) {
      if (other == axis || shape_.coordinate(place, other) == 0) continue;
      const int before = at(place - shape_.stride(other));
      work_ -= graph_.degree(vertex);
      if (graph_.edge_between(beyond_[static_cast<std::size_t>(before)], vertex) < 0) return false;
    }
    return true;
  }

  /// Makes room for a layer at `position_of_layer` of an axis.
  void insert_layer(int axis, int position_of_layer, Shape grown, const std::vector<int>& layer) {
    std::swap(shape_, grown);
    if (axis == 0 && position_of_layer > 0) {
      vertices_.insert(vertices_.end(), layer.begin(), layer.end());
      return;
    }
    work_ -= shape_.nodes();
    std::vector<int> vertices;
    std::size_t next_old = 0;
    std::size_t next_new = 0;
    for (NodeIndex place = 0; place < shape_.nodes(); ++place) {
      const bool is_new = shape_.coordinate(place, axis) == position_of_layer;
      vertices.push_back(is_new ? layer[next_new++] : vertices_[next_old++]);
    }
    vertices_ = std::move(vertices);
  }

  bool closes(int axis) const {
    const NodeIndex length = shape_.stride(axis) * (shape_.extent(axis) - 1);
    for (NodeIndex place = 0; place < shape_.nodes(); ++place) {
      if (shape_.coordinate(place, axis) != 0) continue;
      if (graph_.edge_between(at(place), at(place + length)) < 0) return false;
    }
    return true;
  }

  const Graph& graph_;
  std::int64_t& work_;
  Shape shape_;
  std::vector<int> vertices_;
  std::vector<bool> used_;
  /// By vertex of the face that was examined last: its neighbour beyond the face.
  std::vector<int> beyond_;
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

/// Grows lines as far as possible, then planes of lines, and so on.
void grow_lines_first(Box& box) {
  extend_all(box);
  while (box.add_axis()) extend_all(box);
}

/// Adds as many axes as possible, then grows their extents.
void grow_axes_first(Box& box) {
  while (box.add_axis()) {
  }
  while (extend_all(box)) {
  }
}

}  // namespace

Embedding largest_box(const Graph& graph) {
  // There are enough seeds to find a large box by chance. If the graph is small, every vertex is a
  // seed.
  constexpr int most_seeds = 256;
  // The work of about a second.
  std::int64_t work = 50'000'000;
  const int step = std::max(1, graph.vertices() / most_seeds);
  std::optional<Embedding> largest;
  const auto size = [](const Embedding& box) {
    return std::pair(box.shape.cables(), box.shape.nodes());
  };
  for (int seed = 0; seed < graph.vertices() && (work > 0 || !largest); seed += step) {
    for (const auto grow : {grow_axes_first, grow_lines_first}) {
      Box box(graph, seed, work);
      grow(box);
      Embedding embedding = box.embedding();
      if (!largest || size(embedding) > size(*largest)) largest = std::move(embedding);
    }
  }
  return std::move(*largest);
}

}  // namespace cuboid::detail::recognition
