#include <cuboid/error.hpp>
#include <cuboid/recognition.hpp>

#include "base/counted.hpp"
#include "topology/recognition/axes.hpp"
#include "topology/recognition/canonical.hpp"
#include "topology/recognition/development.hpp"
#include "topology/recognition/graph.hpp"
#include "topology/recognition/largest_box.hpp"
#include "topology/recognition/parallel_classes.hpp"
#include "topology/recognition/reading.hpp"
#include "topology/recognition/search.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;
namespace {

using recognition::Damage;
using recognition::Embedding;
using recognition::Graph;

/// True if the graph can still be a shape with this damage. With enough missing cables, any graph
/// is a part of some mesh.
bool tolerable(const Damage& damage, const Graph& graph, const std::vector<int>& component) {
  const auto edges = std::ssize(graph.edges());
  return damage.missing_nodes <= std::ssize(component) / 8 &&
         damage.missing_edges <= (edges < 6 ? 0 : std::max<std::int64_t>(1, edges / 8));
}

/// Finds an embedding from the graph's parallel edges.
std::optional<Embedding> embedding_by_parallels(const Graph& graph,
                                                const std::vector<int>& component,
                                                const recognition::ParallelClasses& classes) {
  std::optional<Embedding> found =
      recognition::develop(graph, component, recognition::label_axes(graph, classes));
  if (!found) return std::nullopt;
  recognition::SearchLimits limits{std::ssize(graph.edges()) / 8 + 1,
                                   20 * std::ssize(component) + 1000};
  return recognition::complete(graph, component, std::move(*found), limits);
}

/// The damage that an embedding implies; nullopt if it is no embedding, or if the damage is not
/// tolerable.
std::optional<Damage> tolerable_damage(const Graph& graph, const std::vector<int>& component,
                                       const std::optional<Embedding>& embedding) {
  if (!embedding) return std::nullopt;
  const std::optional<Damage> damage = recognition::damage_of(graph, component, *embedding);
  return damage && tolerable(*damage, graph, component) ? damage : std::nullopt;
}

/// The embedding of a connected part in the cuboid with the least damage; nullopt if there is none.
std::optional<Embedding> find_embedding(const Network& network, const Graph& graph,
                                        const std::vector<int>& component) {
  const auto classes = recognition::parallel_classes(graph);
  if (!classes) return std::nullopt;
  std::optional<Embedding> found = embedding_by_parallels(graph, component, *classes);
  const std::optional<Damage> damage = tolerable_damage(graph, component, found);
  if (!damage) found.reset();
  if (damage && damage->total() == 0) return found;

  // Parallel edges can be misleading where damage meets small extents, so a search looks for a
  // better embedding. In a large network a wrong embedding implies too much damage for a search.
  constexpr std::int64_t most_searched = 4;
  constexpr std::ptrdiff_t large = 4096;
  if (found && std::ssize(component) > large) return found;
  const auto uniform = [&](const Embedding& embedding) {
    return recognition::uniform_cables(network, graph, embedding);
  };
  const bool confirmed = found && uniform(*found);
  const std::int64_t most =
      damage ? std::min(most_searched, damage->total() - (confirmed ? 1 : 0)) : most_searched;
  const std::int64_t steps = 50'000 + 4 * std::ssize(component);
  const auto search = [&](const recognition::Judge& will_do) {
    auto better = recognition::search_least_damage(graph, component, most, will_do, steps);
    if (!tolerable_damage(graph, component, better)) better.reset();
    return better;
  };
  if (auto better = search(uniform)) return better;
  if (found) return found;
  return search([](const Embedding&) { return true; });
}

/// If exactly one node without working cables and one empty place remain, the node belongs there.
void place_last_node(const Graph& graph, const std::vector<int>& component, Embedding& embedding) {
  if (std::ssize(component) + 1 != graph.vertices()) return;
  if (embedding.shape.nodes() != graph.vertices()) return;
  std::vector<bool> taken(embedding.place.size(), false);
  for (const NodeIndex place : embedding.place) {
    if (place >= 0) taken[static_cast<std::size_t>(place)] = true;
  }
  const auto hole = std::ranges::find(taken, false) - taken.begin();
  *std::ranges::find(embedding.place, NodeIndex{-1}) = hole;
}

/// A cable given by its two ends, lower place first, and its axis.
using CableKey = std::tuple<NodeIndex, NodeIndex, int>;

CableKey key_of(const Shape& shape, NodeIndex from, int axis) {
  const NodeIndex to = shape.neighbour(from, axis, +1);
  return {std::min(from, to), std::max(from, to), axis};
}

}  // namespace

std::string Recognition::explanation() const {
  std::string text = whole ? "" : "not a cuboid; the largest cuboid found inside is ";
  text += shape.to_string();
  std::string less;
  const std::array<std::pair<std::size_t, std::string_view>, 2> missing = {
      {{missing_nodes.size(), "node"}, {missing_cables.size(), "cable"}}};
  for (const auto& [count, thing] : missing) {
    if (count > 0) less += (less.empty() ? " less " : " and ") + counted(count, thing);
  }
  text += less;
  if (through_switches) text += ", of switches with hosts";
  if (!off_rate_cables.empty()) {
    text += fmt::format(", {} with another rate than the rest of the axis",
                        counted(off_rate_cables.size(), "cable"));
  }
  if (!whole) {
    text += fmt::format("; left over: {} and {}", counted(left_over_nodes.size(), "node"),
                        counted(left_over_cables.size(), "cable"));
  }
  return text;
}

Recognition recognise(const Network& network) {
  if (network.nodes() == 0) {
    throw Error(ErrorCode::invalid_argument, "a network without nodes has no shape");
  }
  const Graph graph(network);
  const std::vector<int> component = recognition::largest_component(graph);
  std::optional<Recognition> result;
  if (std::optional<Embedding> found = find_embedding(network, graph, component)) {
    place_last_node(graph, component, *found);
    result = recognition::read_off(network, graph, *found);
  }
  if (!result) result = recognition::read_off(network, graph, recognition::largest_box(graph));
  if (!result || !reproduces(network, *result)) {
    throw Error(ErrorCode::internal, "the shape that was recognised is not the network's");
  }
  return std::move(*result);
}

bool reproduces(const Network& network, const Recognition& recognition) {
  const Shape& shape = recognition.shape;
  std::vector<bool> missing_node(static_cast<std::size_t>(shape.nodes()), false);
  for (const NodeIndex place : recognition.missing_nodes)
    missing_node[static_cast<std::size_t>(place)] = true;

  // Counts +1 for each cable of the shape and -1 for each cable of the network: all counts must end
  // at 0.
  std::vector<std::pair<CableKey, int>> counts;
  for (NodeIndex place = 0; place < shape.nodes(); ++place) {
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      const NodeIndex next = shape.neighbour(place, axis, +1);
      if (next < 0 || missing_node[static_cast<std::size_t>(place)] ||
          missing_node[static_cast<std::size_t>(next)]) {
        continue;
      }
      counts.emplace_back(key_of(shape, place, axis),
                          recognition.parallel_cables[static_cast<std::size_t>(axis)]);
    }
  }
  for (const auto& [from, axis] : recognition.missing_cables)
    counts.emplace_back(key_of(shape, from, axis), -1);

  std::vector<bool> left_over(static_cast<std::size_t>(network.cables()), false);
  for (const int cable : recognition.left_over_cables)
    left_over[static_cast<std::size_t>(cable)] = true;
  for (int cable = 0; cable < network.cables(); ++cable) {
    if (left_over[static_cast<std::size_t>(cable)]) continue;
    const Link& link = network.links()[2 * static_cast<std::size_t>(cable)];
    const NodeIndex one = recognition.place[static_cast<std::size_t>(link.from)];
    const NodeIndex other = recognition.place[static_cast<std::size_t>(link.to)];
    const bool to_host = network.role(link.from) != network.role(link.to);
    if (recognition.through_switches && to_host && one == other) continue;
    if (one < 0 || other < 0) return false;
    int found = -1;
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      for (const int direction : {+1, -1}) {
        if (shape.neighbour(one, axis, direction) == other) found = axis;
      }
    }
    if (found < 0) return false;
    counts.emplace_back(CableKey(std::min(one, other), std::max(one, other), found), -1);
  }
  std::ranges::sort(counts);
  for (std::size_t i = 0; i < counts.size();) {
    int sum = 0;
    const CableKey key = counts[i].first;
    for (; i < counts.size() && counts[i].first == key; ++i) sum += counts[i].second;
    if (sum != 0) return false;
  }

  // Every place that is not missing has exactly one node, or one switch.
  std::vector<int> occupants(static_cast<std::size_t>(shape.nodes()), 0);
  for (int node = 0; node < network.nodes(); ++node) {
    const NodeIndex place = recognition.place[static_cast<std::size_t>(node)];
    const bool counts_here =
        !recognition.through_switches || network.role(node) == Role::network_switch;
    if (place >= 0 && counts_here) ++occupants[static_cast<std::size_t>(place)];
  }
  for (NodeIndex place = 0; place < shape.nodes(); ++place) {
    const int wanted = missing_node[static_cast<std::size_t>(place)] ? 0 : 1;
    if (occupants[static_cast<std::size_t>(place)] != wanted) return false;
  }
  return true;
}

}  // namespace cuboid
