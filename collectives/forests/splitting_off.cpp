#include "collectives/forests/splitting_off.hpp"

#include "topology/network/max_flow.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace cuboid::detail {

namespace {

using Capacities = std::map<std::pair<int, int>, int>;

/// The number of trees that cannot reach the host that the fewest trees reach.
int shortfall(int nodes, int hosts, const Capacities& capacities, std::span<const int> roots,
              int copies) {
  MaxFlow flow(nodes + 1);
  for (const auto& [ends, capacity] : capacities) flow.add_arc(ends.first, ends.second, capacity);
  for (const int root : roots) flow.add_arc(nodes, root, copies);
  const int wanted = static_cast<int>(roots.size()) * copies;
  int worst = wanted;
  for (int host = 0; host < hosts; ++host)
    worst = std::min(worst, static_cast<int>(flow.between(nodes, host, worst)));
  return wanted - worst;
}

Capacities between_ends(std::span<const Arc> arcs) {
  Capacities capacities;
  for (const Arc& arc : arcs) capacities[{arc.from, arc.to}] += arc.capacity;
  return capacities;
}

class Splitter {
 public:
  Splitter(int nodes, int hosts, std::span<const Arc> arcs, std::span<const int> roots, int copies)
      : nodes_(nodes),
        hosts_(hosts),
        capacities_(between_ends(arcs)),
        roots_(roots),
        copies_(copies) {}

  void split_off(int node) {
    std::vector<int> before;
    std::vector<int> after;
    for (const auto& [ends, capacity] : capacities_) {
      if (ends.second == node) before.push_back(ends.first);
      if (ends.first == node) after.push_back(ends.second);
    }
    for (const int to : after) {
      for (const int from : before) {
        if (from != to) split(from, node, to);
      }
    }
    std::erase_if(capacities_, [node](const auto& arc) {
      return arc.first.first == node || arc.first.second == node;
    });
  }

  std::vector<Arc> arcs() const {
    std::vector<Arc> result;
    for (const auto& [ends, capacity] : capacities_) {
      if (capacity > 0) result.push_back({ends.first, ends.second, capacity});
    }
    return result;
  }

 private:
  // Replaces all copies of both arcs at once, and puts back as many copies as are then missing.
  void split(int from, int node, int to) {
    const int most = std::min(capacities_[{from, node}], capacities_[{node, to}]);
    if (most == 0) return;
    move(from, node, to, most);
    move(from, node, to, -shortfall(nodes_, hosts_, capacities_, roots_, copies_));
  }

  void move(int from, int node, int to, int capacity) {
    capacities_[{from, node}] -= capacity;
    capacities_[{node, to}] -= capacity;
    capacities_[{from, to}] += capacity;
  }

  int nodes_;
  int hosts_;
  Capacities capacities_;
  std::span<const int> roots_;
  int copies_;
};

}  // namespace

bool enough_arcs(int nodes, int hosts, std::span<const Arc> arcs, std::span<const int> roots,
                 int copies) {
  return shortfall(nodes, hosts, between_ends(arcs), roots, copies) == 0;
}

std::vector<Arc> split_off_switches(int nodes, int hosts, std::span<const Arc> arcs,
                                    std::span<const int> roots, int copies) {
  Splitter splitter(nodes, hosts, arcs, roots, copies);
  for (int node = hosts; node < nodes; ++node) splitter.split_off(node);
  return splitter.arcs();
}

}  // namespace cuboid::detail
