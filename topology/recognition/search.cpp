#include "topology/recognition/search.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace cuboid::detail::recognition {
namespace {

/// The properties of a graph that decide which shapes it can be.
struct Profile {
  std::int64_t vertices = 0;
  std::int64_t edges = 0;
  std::vector<int> degrees;  ///< ascending
};

Profile profile_of(const Graph& graph, const std::vector<int>& component) {
  Profile profile;
  profile.vertices = std::ssize(component);
  for (const int vertex : component) profile.degrees.push_back(graph.degree(vertex));
  std::ranges::sort(profile.degrees);
  for (const int degree : profile.degrees) profile.edges += degree;
  profile.edges /= 2;
  return profile;
}

/// Lists all shapes of `nodes` nodes, one of each kind: extents descending, wrapping axes before
/// others, no axis of extent 1, and at most one axis of extent 2, because two such axes are one
/// axis of extent 4 that wraps.
void list_shapes(std::int64_t nodes, std::vector<Axis>& axes, std::vector<Shape>& shapes) {
  if (nodes == 1) {
    shapes.emplace_back(axes);
    return;
  }
  if (std::ssize(axes) == Shape::max_axes) return;
  const Axis last = axes.empty() ? Axis{static_cast<int>(nodes), true} : axes.back();
  for (int extent = std::min(last.extent, static_cast<int>(nodes)); extent >= 2; --extent) {
    if (nodes % extent != 0) continue;
    for (const bool wraps : {true, false}) {
      const bool in_order = extent < last.extent || last.wraps || !wraps;
      const bool second_of_extent_2 = extent == 2 && !axes.empty() && last.extent == 2;
      if (!in_order || second_of_extent_2 || (extent == 2 && wraps)) continue;
      axes.push_back({extent, wraps});
      list_shapes(nodes / extent, axes, shapes);
      axes.pop_back();
    }
  }
}

std::vector<int> degrees_of(const Shape& shape) {
  std::vector<int> degrees;
  for (NodeIndex node = 0; node < shape.nodes(); ++node) {
    int degree = 0;
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      degree += (shape.neighbour(node, axis, +1) >= 0) + (shape.neighbour(node, axis, -1) >= 0);
    }
    degrees.push_back(degree);
  }
  return degrees;
}

/// True if a graph with these numbers of edges and neighbours can be the shape with this damage.
bool plausible(const Profile& profile, const Shape& shape, const Damage& damage) {
  const std::int64_t lacking = shape.cables() - profile.edges - damage.missing_edges;
  if (lacking < 0 || lacking > damage.missing_nodes * 2 * shape.dimensions()) return false;
  if (damage.missing_nodes == 0 && lacking != 0) return false;
  // Compares the vertices' degrees with the places' degrees, both ascending: damage can only reduce
  // a degree.
  std::vector<int> degrees = degrees_of(shape);
  std::ranges::sort(degrees);
  return std::ranges::equal(
      profile.degrees, std::span(degrees).subspan(static_cast<std::size_t>(damage.missing_nodes)),
      std::ranges::less_equal());
}

/// Places of which no symmetry of the shape maps one onto another. Places whose degree is near
/// `degree` come first.
std::vector<NodeIndex> different_places(const Shape& shape, int degree) {
  const std::vector<int> degrees = degrees_of(shape);
  std::vector<NodeIndex> places;
  for (NodeIndex place = 0; place < shape.nodes(); ++place) {
    const Coordinate coordinate = shape.coordinate(place);
    bool first_of_its_kind = degrees[static_cast<std::size_t>(place)] >= degree;
    for (std::size_t axis = 0; axis < coordinate.size(); ++axis) {
      const Axis& kind = shape.axes()[axis];
      const int last = kind.wraps ? 0 : (kind.extent - 1) / 2;
      const bool ordered =
          axis == 0 || shape.axes()[axis - 1] != kind || coordinate[axis - 1] <= coordinate[axis];
      first_of_its_kind = first_of_its_kind && coordinate[axis] <= last && ordered;
    }
    if (first_of_its_kind) places.push_back(place);
  }
  std::ranges::stable_sort(
      places, {}, [&](NodeIndex place) { return degrees[static_cast<std::size_t>(place)]; });
  return places;
}

}  // namespace

std::optional<Damage> damage_of(const Graph& graph, const std::vector<int>& component,
                                const Embedding& embedding) {
  std::vector<bool> taken(static_cast<std::size_t>(embedding.shape.nodes()), false);
  const auto place_of = [&](int vertex) {
    return embedding.place[static_cast<std::size_t>(vertex)];
  };
  for (const int vertex : component) {
    if (place_of(vertex) < 0 || taken[static_cast<std::size_t>(place_of(vertex))])
      return std::nullopt;
    taken[static_cast<std::size_t>(place_of(vertex))] = true;
  }
  std::int64_t edges = 0;
  for (const int vertex : component) {
    for (const Neighbour& neighbour : graph.neighbours(vertex)) {
      if (embedding.shape.distance(place_of(vertex), place_of(neighbour.vertex)) != 1)
        return std::nullopt;
      ++edges;
    }
  }
  std::int64_t expected = 0;
  for (const int vertex : component) {
    for (int axis = 0; axis < embedding.shape.dimensions(); ++axis) {
      const NodeIndex next = embedding.shape.neighbour(place_of(vertex), axis, +1);
      expected += next >= 0 && taken[static_cast<std::size_t>(next)];
    }
  }
  return Damage{embedding.shape.nodes() - std::ssize(component), expected - edges / 2};
}

std::optional<Embedding> search_least_damage(const Graph& graph, const std::vector<int>& component,
                                             std::int64_t most, const Judge& will_do,
                                             std::int64_t steps) {
  constexpr std::int64_t most_missing_nodes = 2;
  const Profile profile = profile_of(graph, component);
  const int first =
      *std::ranges::min_element(component, {}, [&](int vertex) { return graph.degree(vertex); });

  std::vector<std::vector<Shape>> shapes;
  for (std::int64_t nodes = 0; nodes <= std::min(most, most_missing_nodes); ++nodes) {
    std::vector<Axis> axes;
    list_shapes(profile.vertices + nodes, axes, shapes.emplace_back());
  }
  for (std::int64_t total = 0; total <= most; ++total) {
    for (std::int64_t nodes = 0; nodes <= std::min(total, most_missing_nodes); ++nodes) {
      const Damage damage{nodes, total - nodes};
      for (const Shape& shape : shapes[static_cast<std::size_t>(nodes)]) {
        if (!plausible(profile, shape, damage)) continue;
        SearchLimits limits{damage.missing_edges, steps};
        const std::vector<NodeIndex> places = different_places(shape, graph.degree(first));
        auto found = embed(graph, component, shape, first, places, will_do, limits);
        if (found) return found;
        steps = limits.steps;
        if (steps <= 0) return std::nullopt;
      }
    }
  }
  return std::nullopt;
}

}  // namespace cuboid::detail::recognition
