#pragma once

#include <limits>
#include <vector>

namespace cuboid::detail {

/// Maximum flow and minimum cut between two vertices of a directed graph (Dinic 1970: blocking
/// flows along shortest paths; at most O(V²·E), far less on networks). Results are exact for
/// capacities that are whole numbers below 2^53.
class MaxFlow {
 public:
  explicit MaxFlow(int vertices) : arcs_from_(static_cast<std::size_t>(vertices)) {}

  /// Adds an arc and returns its number (0, 1, 2, ...). `capacity` >= 0 may be infinite.
  int add_arc(int from, int to, double capacity);
  void set_capacity(int arc, double capacity);

  /// The maximum flow from `source` to another vertex, `sink`. Stops early and returns `enough` as
  /// soon as the flow reaches `enough`.
  double between(int source, int sink, double enough = std::numeric_limits<double>::infinity());

  /// For each vertex: true if it is on the source's side of the minimum cut of the last between().
  /// That call must not have stopped early.
  const std::vector<bool>& source_side() const { return reached_; }

 private:
  struct ResidualArc {
    int to;
    double capacity;
    double left;
  };

  bool find_levels(int source, int sink);
  double push(int vertex, int sink, double most);

  std::vector<ResidualArc> arcs_;  // arc i is number 2i; its reverse arc is number 2i + 1
  std::vector<std::vector<int>> arcs_from_;
  std::vector<int> level_;
  std::vector<std::size_t> next_;  // by vertex: its first arc that may still lead to the sink
  std::vector<bool> reached_;
};

}  // namespace cuboid::detail
