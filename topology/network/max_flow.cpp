#include "topology/network/max_flow.hpp"

#include <algorithm>

namespace cuboid::detail {

int MaxFlow::add_arc(int from, int to, double capacity) {
  const int number = static_cast<int>(arcs_.size());
  arcs_from_[static_cast<std::size_t>(from)].push_back(number);
  arcs_.push_back({to, capacity, 0});
  arcs_from_[static_cast<std::size_t>(to)].push_back(number + 1);
  arcs_.push_back({from, 0, 0});
  return number / 2;
}

void MaxFlow::set_capacity(int arc, double capacity) {
  arcs_[2 * static_cast<std::size_t>(arc)].capacity = capacity;
}

double MaxFlow::between(int source, int sink, double enough) {
  for (ResidualArc& arc : arcs_) arc.left = arc.capacity;
  double flow = 0;
  while (flow < enough && find_levels(source, sink)) {
    next_.assign(arcs_from_.size(), 0);
    double more = 0;
    while (flow < enough && (more = push(source, sink, enough - flow)) > 0) flow += more;
  }
  return flow;
}

bool MaxFlow::find_levels(int source, int sink) {
  level_.assign(arcs_from_.size(), -1);
  reached_.assign(arcs_from_.size(), false);
  std::vector<int> queue = {source};
  level_[static_cast<std::size_t>(source)] = 0;
  reached_[static_cast<std::size_t>(source)] = true;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const auto vertex = static_cast<std::size_t>(queue[next]);
    if (queue[next] == sink) return true;
    for (const int number : arcs_from_[vertex]) {
      const ResidualArc& arc = arcs_[static_cast<std::size_t>(number)];
      const auto to = static_cast<std::size_t>(arc.to);
      if (arc.left <= 0 || reached_[to]) continue;
      reached_[to] = true;
      level_[to] = level_[vertex] + 1;
      queue.push_back(arc.to);
    }
  }
  return false;
}

double MaxFlow::push(int vertex, int sink, double most) {
  if (vertex == sink) return most;
  const auto from = static_cast<std::size_t>(vertex);
  for (std::size_t& next = next_[from]; next < arcs_from_[from].size(); ++next) {
    const auto number = static_cast<std::size_t>(arcs_from_[from][next]);
    ResidualArc& arc = arcs_[number];
    if (arc.left <= 0 || level_[static_cast<std::size_t>(arc.to)] != level_[from] + 1) continue;
    const double pushed = push(arc.to, sink, std::min(most, arc.left));
    if (pushed <= 0) continue;
    arc.left -= pushed;
    arcs_[number ^ 1].left += pushed;
    return pushed;
  }
  return 0;
}

}  // namespace cuboid::detail
