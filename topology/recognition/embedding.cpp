#include "topology/recognition/embedding.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <queue>
#include <utility>

namespace cuboid::detail::recognition {
namespace {

/// A shape's places and edges as lists that are quick to walk. Parallel edges count once.
class Places {
 public:
  explicit Places(const Shape& shape) : neighbours_(static_cast<std::size_t>(shape.nodes())) {
    for (NodeIndex place = 0; place < shape.nodes(); ++place) {
      for (int axis = 0; axis < shape.dimensions(); ++axis) {
        const NodeIndex next = shape.neighbour(place, axis, +1);
        if (next < 0) continue;
        neighbours_[static_cast<std::size_t>(place)].push_back(next);
        neighbours_[static_cast<std::size_t>(next)].push_back(place);
      }
    }
  }

  const std::vector<NodeIndex>& neighbours(NodeIndex place) const {
    return neighbours_[static_cast<std::size_t>(place)];
  }
  bool adjacent(NodeIndex one, NodeIndex other) const {
    return std::ranges::find(neighbours(one), other) != neighbours(one).end();
  }

 private:
  std::vector<std::vector<NodeIndex>> neighbours_;
};

/// Finds places that are equal by symmetry. Two places can be equal as long as there are axes on
/// which all placed vertices have the first vertex's coordinate.
class Symmetry {
 public:
  Symmetry(const Shape& shape, NodeIndex first)
      : shape_(shape), first_(shape.coordinate(first)), vertices_off_(first_.size(), 0) {}

  void count(NodeIndex place, int change) {
    const Coordinate coordinate = shape_.coordinate(place);
    for (std::size_t axis = 0; axis < first_.size(); ++axis) {
      if (coordinate[axis] != first_[axis]) vertices_off_[axis] += change;
    }
  }

  /// True if a place that is equal to this place by symmetry is tried instead.
  bool redundant(NodeIndex place) const {
    const Coordinate coordinate = shape_.coordinate(place);
    for (std::size_t axis = 0; axis < first_.size(); ++axis) {
      if (coordinate[axis] == first_[axis] || vertices_off_[axis] > 0) continue;
      const Axis& kind = shape_.axes()[axis];
      const bool mirrored = kind.wraps || 2 * first_[axis] == kind.extent - 1;
      if (mirrored && coordinate[axis] != first_[axis] + 1) return true;
      for (std::size_t earlier = 0; earlier < axis; ++earlier) {
        if (vertices_off_[earlier] == 0 && shape_.axes()[earlier] == kind &&
            first_[earlier] == first_[axis]) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  const Shape& shape_;
  Coordinate first_;
  std::vector<int> vertices_off_;  ///< by axis: vertices with another coordinate than the first
};

/// A depth-first search that always continues with the vertex that has the fewest possible places.
class Search {
 public:
  Search(const Graph& graph, const std::vector<int>& component, Embedding start,
         SearchLimits& limits)
      : graph_(graph),
        places_(start.shape),
        holes_(start.shape.nodes() - std::ssize(component)),
        limits_(limits),
        unplaced_(std::ssize(component)),
        embedding_{std::move(start.shape),
                   std::vector<NodeIndex>(static_cast<std::size_t>(graph.vertices()), -1)},
        occupant_(static_cast<std::size_t>(embedding_.shape.nodes()), -1) {
    for (const int vertex : component) {
      const NodeIndex place = start.place[static_cast<std::size_t>(vertex)];
      if (place >= 0) put(vertex, place);
    }
  }

  void break_symmetry(NodeIndex first) { symmetry_.emplace(embedding_.shape, first); }

  /// Continues until every vertex is placed, no more edges are missing than allowed, and `will_do`
  /// accepts the embedding.
  std::optional<Embedding> run(const Judge& will_do) {
    while (true) {
      if (unplaced_ == 0 && missing_ <= limits_.missing_edges && will_do(embedding_)) {
        return std::move(embedding_);
      }
      const bool placed = unplaced_ > 0 && place_next();
      if ((!placed && !back_up()) || limits_.steps <= 0) return std::nullopt;
    }
  }

 private:
  struct Choice {
    int vertex;
    std::size_t trail_before;
    std::vector<NodeIndex> places;
    std::size_t next;
  };

  /// Places the vertex with the fewest possible places; false if it has none.
  bool place_next() {
    const std::optional<int> vertex = take_most_constrained();
    if (!vertex) return false;
    Choice choice{*vertex, trail_.size(), candidates(*vertex), 0};
    if (choice.places.empty()) {
      queue_.emplace(0, *vertex);
      return false;
    }
    if (choice.places.size() == 1) {
      put(*vertex, choice.places.front());
    } else {
      choices_.push_back(std::move(choice));
      put_next_choice();
    }
    return true;
  }

  NodeIndex place_of(int vertex) const {
    return embedding_.place[static_cast<std::size_t>(vertex)];
  }
  int occupant(NodeIndex place) const { return occupant_[static_cast<std::size_t>(place)]; }

  /// The number of the shape's edges between a place and occupied places that the graph would lack
  /// if `vertex` were at this place.
  std::int64_t missing_around(int vertex, NodeIndex place) const {
    std::int64_t occupied = 0;
    for (const NodeIndex next : places_.neighbours(place)) occupied += occupant(next) >= 0;
    std::int64_t edges = 0;
    for (const Neighbour& neighbour : graph_.neighbours(vertex)) {
      edges += place_of(neighbour.vertex) >= 0;
    }
    return occupied - edges;
  }

  bool fits(int vertex, NodeIndex place) const {
    if (occupant(place) >= 0) return false;
    const std::int64_t spare = std::ssize(places_.neighbours(place)) - graph_.degree(vertex);
    // Without holes, an edge that a vertex lacks stays missing.
    if (spare < 0 || (holes_ == 0 && spare > limits_.missing_edges)) return false;
    for (const Neighbour& neighbour : graph_.neighbours(vertex)) {
      const NodeIndex there = place_of(neighbour.vertex);
      if (there >= 0 && !places_.adjacent(there, place)) return false;
    }
    return missing_ + missing_around(vertex, place) <= limits_.missing_edges;
  }

  /// The possible places of a vertex that has placed neighbours. The places with the fewest missing
  /// edges come first.
  std::vector<NodeIndex> candidates(int vertex) const {
    std::vector<NodeIndex> found;
    for (const Neighbour& neighbour : graph_.neighbours(vertex)) {
      const NodeIndex there = place_of(neighbour.vertex);
      if (there < 0) continue;
      for (const NodeIndex place : places_.neighbours(there)) {
        if (fits(vertex, place) && !(symmetry_ && symmetry_->redundant(place))) {
          found.push_back(place);
        }
      }
      break;
    }
    std::ranges::stable_sort(found, {},
                             [&](NodeIndex place) { return missing_around(vertex, place); });
    return found;
  }

  /// Queues a vertex again, because its number of candidates may have fallen.
  void reconsider(int vertex) {
    if (place_of(vertex) >= 0) return;
    queue_.emplace(candidates(vertex).size(), vertex);
  }

  void reconsider_around(int vertex, NodeIndex place) {
    for (const Neighbour& neighbour : graph_.neighbours(vertex)) reconsider(neighbour.vertex);
    for (const NodeIndex next : places_.neighbours(place)) {
      if (occupant(next) < 0) continue;
      for (const Neighbour& neighbour : graph_.neighbours(occupant(next))) {
        reconsider(neighbour.vertex);
      }
    }
  }

  void put(int vertex, NodeIndex place) {
    missing_ += missing_around(vertex, place);
    embedding_.place[static_cast<std::size_t>(vertex)] = place;
    occupant_[static_cast<std::size_t>(place)] = vertex;
    if (symmetry_) symmetry_->count(place, +1);
    trail_.push_back(vertex);
    --unplaced_;
    --limits_.steps;
    reconsider_around(vertex, place);
  }

  void undo() {
    const int vertex = trail_.back();
    trail_.pop_back();
    const NodeIndex place = place_of(vertex);
    embedding_.place[static_cast<std::size_t>(vertex)] = -1;
    occupant_[static_cast<std::size_t>(place)] = -1;
    if (symmetry_) symmetry_->count(place, -1);
    missing_ -= missing_around(vertex, place);
    ++unplaced_;
    queue_.emplace(0, vertex);
  }

  /// The unplaced vertex with placed neighbours that has the fewest candidates. Entries of the
  /// queue may be out of date, but only by promising too few candidates. Such an entry is corrected
  /// when it comes up.
  std::optional<int> take_most_constrained() {
    while (!queue_.empty()) {
      const auto [promised, vertex] = queue_.top();
      queue_.pop();
      if (place_of(vertex) >= 0 || !beside_placed(vertex)) continue;
      const std::size_t actual = candidates(vertex).size();
      if (actual <= promised) return vertex;
      queue_.emplace(actual, vertex);
    }
    return std::nullopt;
  }

  bool beside_placed(int vertex) const {
    return std::ranges::any_of(graph_.neighbours(vertex), [&](const Neighbour& neighbour) {
      return place_of(neighbour.vertex) >= 0;
    });
  }

  void put_next_choice() {
    Choice& choice = choices_.back();
    const int vertex = choice.vertex;
    const NodeIndex place = choice.places[choice.next++];
    if (choice.next == choice.places.size()) choices_.pop_back();
    put(vertex, place);
  }

  /// Takes back all placements since the last choice that has places left, and takes its next
  /// place.
  bool back_up() {
    if (choices_.empty()) return false;
    while (trail_.size() > choices_.back().trail_before) undo();
    put_next_choice();
    return true;
  }

  const Graph& graph_;
  Places places_;
  std::int64_t holes_;
  SearchLimits& limits_;
  std::int64_t unplaced_;
  std::int64_t missing_ = 0;
  Embedding embedding_;
  std::vector<int> occupant_;
  std::optional<Symmetry> symmetry_;
  std::vector<int> trail_;
  std::vector<Choice> choices_;
  using Entry = std::pair<std::size_t, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

std::optional<Embedding> complete(const Graph& graph, const std::vector<int>& component,
                                  Embedding partial, SearchLimits& limits) {
  const bool nothing_left = std::ranges::all_of(
      component, [&](int vertex) { return partial.place[static_cast<std::size_t>(vertex)] >= 0; });
  if (nothing_left) return partial;
  const auto anything_will_do = [](const Embedding&) { return true; };
  return Search(graph, component, std::move(partial), limits).run(anything_will_do);
}

std::optional<Embedding> embed(const Graph& graph, const std::vector<int>& component,
                               const Shape& shape, int first,
                               const std::vector<NodeIndex>& first_places, const Judge& will_do,
                               SearchLimits& limits) {
  for (const NodeIndex place : first_places) {
    Embedding start{shape, std::vector<NodeIndex>(static_cast<std::size_t>(graph.vertices()), -1)};
    start.place[static_cast<std::size_t>(first)] = place;
    Search search(graph, component, std::move(start), limits);
    search.break_symmetry(place);
    if (std::optional<Embedding> found = search.run(will_do)) return found;
    if (limits.steps <= 0) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace cuboid::detail::recognition
