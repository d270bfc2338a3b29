#include "topology/recognition/axes.hpp"

#include <cuboid/shape.hpp>

#include "topology/recognition/signed_sets.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace cuboid::detail::recognition {
namespace {

/// Edges of two classes that meet in vertices. Take both edges as directed away from the vertex:
/// the product is +1 if both have the direction of their classes or both have the opposite one, and
/// -1 if only one has it.
struct Meeting {
  int one = 0;
  int other = 0;  ///< > one
  int product = 0;
  int vertices = 0;  ///< the number of vertices in which they meet

  auto key() const { return std::tuple(one, other, product); }
};

/// All meetings of edges of different classes; equal meetings are counted together.
std::vector<Meeting> find_meetings(const Graph& graph, const ParallelClasses& classes) {
  std::vector<Meeting> meetings;
  const auto walked_away = [&](int vertex, int edge) {
    const int direction = classes.direction[static_cast<std::size_t>(edge)];
    return graph.edge(edge).a == vertex ? direction : -direction;
  };
  for (int vertex = 0; vertex < graph.vertices(); ++vertex) {
    const auto neighbours = graph.neighbours(vertex);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const int e = neighbours[i].edge;
        const int f = neighbours[j].edge;
        const auto [one, other] = std::minmax(classes.of_edge[static_cast<std::size_t>(e)],
                                              classes.of_edge[static_cast<std::size_t>(f)]);
        if (one == other) continue;
        meetings.push_back({one, other, walked_away(vertex, e) * walked_away(vertex, f), 1});
      }
    }
  }
  std::ranges::sort(meetings, {}, &Meeting::key);
  std::size_t kept = 0;
  for (const Meeting& meeting : meetings) {
    if (kept > 0 && meetings[kept - 1].key() == meeting.key()) {
      ++meetings[kept - 1].vertices;
    } else {
      meetings[kept++] = meeting;
    }
  }
  meetings.resize(kept);
  return meetings;
}

bool cross(const ParallelClasses& classes, int one, int other) {
  return std::ranges::binary_search(classes.crossing,
                                    std::pair(std::min(one, other), std::max(one, other)));
}

/// The meetings in which one class seems to follow the other, except meetings that are contradicted
/// by another meeting that is at least as frequent. If c meets both d and e without crossing them,
/// but d and e cross, c follows at most one of d and e.
std::vector<Meeting> find_successions(const ParallelClasses& classes,
                                      const std::vector<Meeting>& meetings) {
  std::vector<Meeting> candidates;
  std::ranges::copy_if(meetings, std::back_inserter(candidates), [&](const Meeting& meeting) {
    return !cross(classes, meeting.one, meeting.other);
  });
  std::vector<std::vector<const Meeting*>> of_class(static_cast<std::size_t>(classes.count));
  for (const Meeting& candidate : candidates) {
    of_class[static_cast<std::size_t>(candidate.one)].push_back(&candidate);
    of_class[static_cast<std::size_t>(candidate.other)].push_back(&candidate);
  }
  const auto contradicted = [&](const Meeting& candidate, int common) {
    const int partner = candidate.one + candidate.other - common;
    return std::ranges::any_of(of_class[static_cast<std::size_t>(common)],
                               [&](const Meeting* rival) {
                                 return rival->vertices >= candidate.vertices &&
                                        cross(classes, rival->one + rival->other - common, partner);
                               });
  };
  std::vector<Meeting> successions;
  std::ranges::copy_if(candidates, std::back_inserter(successions), [&](const Meeting& candidate) {
    return !contradicted(candidate, candidate.one) && !contradicted(candidate, candidate.other);
  });
  std::ranges::stable_sort(successions, std::ranges::greater(), &Meeting::vertices);
  return successions;
}

/// Sets of classes that belong to one axis, and for each set the sets that it must not be joined
/// with.
class AxisSets {
 public:
  AxisSets(const ParallelClasses& classes, const std::vector<Meeting>& meetings)
      : sets_(classes.count), conflicts_(static_cast<std::size_t>(classes.count)) {
    for (const auto& [one, other] : classes.crossing) forbid(one, other, any_sign);
    // Two edges at one vertex never have the same direction on the same axis.
    for (const Meeting& meeting : meetings)
      forbid(meeting.one, meeting.other, bit(meeting.product));
  }

  /// Puts two classes into one axis, with the same direction (+1) or opposite directions (-1),
  /// unless that is forbidden.
  void unite(int one, int other, int sign) {
    const auto [root, root_sign] = sets_.find(one);
    const auto [other_root, other_sign] = sets_.find(other);
    if (root == other_root) return;
    const int between = root_sign * other_sign * sign;
    const auto conflict = conflicts_of(root).find(other_root);
    if (conflict != conflicts_of(root).end() && (conflict->second & bit(between)) != 0) return;
    sets_.unite(one, other, sign);
    const int stays = sets_.find(root).root;
    inherit(stays, stays == root ? other_root : root, between);
  }

  SignedSets::Membership find(int one) { return sets_.find(one); }

  /// True if two sets (given by their roots) cannot be one axis in either direction.
  bool different_axes(int root, int other_root) const {
    const auto& conflicts = conflicts_[static_cast<std::size_t>(root)];
    const auto conflict = conflicts.find(other_root);
    return conflict != conflicts.end() && conflict->second == any_sign;
  }

 private:
  static constexpr int any_sign = 3;
  static int bit(int sign) { return sign > 0 ? 1 : 2; }
  static int turned(int forbidden, int sign) {
    if (sign > 0 || forbidden == any_sign) return forbidden;
    return any_sign - forbidden;
  }

  std::unordered_map<int, int>& conflicts_of(int root) {
    return conflicts_[static_cast<std::size_t>(root)];
  }

  void forbid(int one, int other, int forbidden) {
    conflicts_of(one)[other] |= forbidden;
    conflicts_of(other)[one] |= forbidden;
  }

  void inherit(int stays, int goes, int sign) {
    for (const auto& [third, forbidden] : conflicts_of(goes)) {
      conflicts_of(third).erase(goes);
      if (third != stays) forbid(stays, third, turned(forbidden, sign));
    }
    conflicts_of(goes).clear();
  }

  SignedSets sets_;
  std::vector<std::unordered_map<int, int>> conflicts_;
};

/// A torus axis of extent 4 looks like two axes of extent 2 here.
constexpr std::size_t max_binary_axes = 2 * Shape::max_axes;

/// Chooses the sets that are axes: the largest set, and then each further set that cannot belong to
/// an axis chosen before. Classes that damage cut off from their axis stay unassigned.
std::vector<int> choose_axes(const AxisSets& sets, const std::vector<int>& edges_of_set) {
  std::vector<int> roots;
  for (int root = 0; root < static_cast<int>(edges_of_set.size()); ++root) {
    if (edges_of_set[static_cast<std::size_t>(root)] > 0) roots.push_back(root);
  }
  std::ranges::stable_sort(roots, [&](int one, int other) {
    return edges_of_set[static_cast<std::size_t>(one)] >
           edges_of_set[static_cast<std::size_t>(other)];
  });
  std::vector<int> axes;
  for (const int root : roots) {
    if (axes.size() == max_binary_axes) break;
    const bool another_axis =
        std::ranges::all_of(axes, [&](int axis) { return sets.different_axes(axis, root); });
    if (another_axis) axes.push_back(root);
  }
  return axes;
}

}  // namespace

AxisLabels label_axes(const Graph& graph, const ParallelClasses& classes) {
  const std::vector<Meeting> meetings = find_meetings(graph, classes);
  AxisSets sets(classes, meetings);
  for (const Meeting& succession : find_successions(classes, meetings)) {
    sets.unite(succession.one, succession.other, -succession.product);
  }

  std::vector<int> edges_of_set(static_cast<std::size_t>(classes.count), 0);
  for (const int one : classes.of_edge)
    ++edges_of_set[static_cast<std::size_t>(sets.find(one).root)];
  const std::vector<int> axes = choose_axes(sets, edges_of_set);
  std::vector<int> axis_of_set(static_cast<std::size_t>(classes.count), -1);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    axis_of_set[static_cast<std::size_t>(axes[axis])] = static_cast<int>(axis);
  }

  AxisLabels labels;
  labels.axes = static_cast<int>(axes.size());
  for (std::size_t edge = 0; edge < classes.of_edge.size(); ++edge) {
    const auto [root, sign] = sets.find(classes.of_edge[edge]);
    labels.of_edge.push_back(axis_of_set[static_cast<std::size_t>(root)]);
    labels.direction.push_back(sign * classes.direction[edge]);
  }
  return labels;
}

}  // namespace cuboid::detail::recognition
