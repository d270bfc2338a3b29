#include "collectives/schedules/group_nodes.hpp"

#include "topology/discovery/induced.hpp"
#include "topology/shape/cuboid.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace cuboid::detail {

namespace {

// Consecutive coordinates along one axis, which continue at 0 behind the end if the axis wraps.
struct NodeRun {
  int first;
  int length;
};

std::optional<NodeRun> run_of(const std::set<int>& values, const Axis& axis) {
  const int length = static_cast<int>(values.size());
  if (length == axis.extent) return NodeRun{0, length};
  for (const int first : values) {
    bool whole = true;
    for (int step = 1; step < length && whole; ++step) {
      const int next = axis.wraps ? (first + step) % axis.extent : first + step;
      whole = values.contains(next);
    }
    if (whole) return NodeRun{first, length};
  }
  return std::nullopt;
}

std::optional<Cuboid> box_around(const Shape& shape, std::span<const Coordinate> coordinates) {
  Coordinate origin;
  std::vector<int> extents;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    std::set<int> values;
    for (const Coordinate& coordinate : coordinates)
      values.insert(coordinate[static_cast<std::size_t>(axis)]);
    const auto run = run_of(values, shape.axes()[static_cast<std::size_t>(axis)]);
    if (!run) return std::nullopt;
    origin.push_back(run->first);
    extents.push_back(run->length);
  }
  return Cuboid(shape, std::move(origin), std::move(extents));
}

// The ranks on each node, in the order of the nodes' numbers.
std::map<NodeIndex, std::vector<int>> by_number(std::span<const NodeIndex> number_of_rank) {
  std::map<NodeIndex, std::vector<int>> ranks;
  for (std::size_t rank = 0; rank < number_of_rank.size(); ++rank)
    ranks[number_of_rank[rank]].push_back(static_cast<int>(rank));
  return ranks;
}

bool are_on_one_host(const Discovery& discovery, std::span<const int> world_ranks) {
  const auto host_of = [&](int rank) {
    return discovery.node_of_rank[static_cast<std::size_t>(rank)];
  };
  return std::ranges::all_of(
      world_ranks, [&](int rank) { return host_of(rank) == host_of(world_ranks.front()); });
}

// True if a cable of the network lies in the box: its ends are neighbours in the box, too.
bool has_cable(const Cuboid& box, const ShapeCable& cable) {
  const auto from = box.place(cable.from);
  const auto to = box.place(box.shape().neighbour(cable.from, cable.axis, +1));
  return from && to && box.inside().neighbour(*from, cable.axis, +1) == *to;
}

bool is_damaged(const Cuboid& box, const Recognition& recognition) {
  const auto in_box = [&](const ShapeCable& cable) { return has_cable(box, cable); };
  return std::ranges::any_of(recognition.missing_cables, in_box) ||
         std::ranges::any_of(recognition.slow_cables, in_box);
}

// The group as a box of the shape that was found; nullopt if its nodes do not fill a box, or if a
// cable in the box is slower than its axis.
std::optional<GroupNodes> nodes_in_box(const Discovery& discovery,
                                       std::span<const int> world_ranks) {
  const auto& recognition = discovery.recognition;
  if (!recognition) return std::nullopt;
  const Shape& whole = recognition->shape;
  std::vector<Coordinate> coordinates;
  for (const int rank : world_ranks) {
    const auto coordinate =
        discovery.coordinate(discovery.node_of_rank[static_cast<std::size_t>(rank)]);
    if (!coordinate) return std::nullopt;
    coordinates.push_back(*coordinate);
  }
  const auto box = box_around(whole, coordinates);
  if (!box || is_damaged(*box, *recognition)) return std::nullopt;

  std::vector<NodeIndex> place_of_rank;
  for (const Coordinate& coordinate : coordinates)
    place_of_rank.push_back(box->place(whole.index(coordinate)).value());
  const auto ranks_of_place = by_number(place_of_rank);
  if (static_cast<NodeIndex>(ranks_of_place.size()) != box->nodes()) return std::nullopt;
  // Hosts behind one switch are at one place of the shape, but they are several nodes.
  if (box->nodes() == 1 && !are_on_one_host(discovery, world_ranks)) return std::nullopt;

  GroupNodes group;
  group.shape = box->inside();
  for (const auto& [place, ranks] : ranks_of_place) group.ranks_of_node.push_back(ranks);
  group.set_rates(recognition->bytes_per_second);
  return group;
}

GroupNodes nodes_anywhere(const Discovery& discovery, std::span<const int> world_ranks) {
  std::vector<NodeIndex> node_of_rank;
  for (const int rank : world_ranks)
    node_of_rank.push_back(discovery.node_of_rank[static_cast<std::size_t>(rank)]);
  GroupNodes group;
  for (const auto& [node, ranks] : by_number(node_of_rank)) group.ranks_of_node.push_back(ranks);
  std::ranges::sort(group.ranks_of_node);
  return group;
}

// The group on a network of switches; nullopt also if hosts behind one switch are one node of it.
std::optional<Network> network_of(const GroupNodes& group, const Discovery& discovery,
                                  std::span<const int> world_ranks) {
  std::vector<int> hosts;
  for (const auto& on_node : group.ranks_of_node) {
    const auto host_of = [&](int rank) {
      return discovery
          .node_of_rank[static_cast<std::size_t>(world_ranks[static_cast<std::size_t>(rank)])];
    };
    hosts.push_back(host_of(on_node.front()));
    for (const int rank : on_node) {
      if (host_of(rank) != hosts.back()) return std::nullopt;
    }
  }
  return network_between(discovery, hosts);
}

double slowest_link(const Network& network) {
  double slowest = 0;
  for (const Link& link : network.links()) {
    if (slowest == 0 || link.bytes_per_second < slowest) slowest = link.bytes_per_second;
  }
  return slowest;
}

}  // namespace

int GroupNodes::ranks() const {
  int ranks = 0;
  for (const auto& on_node : ranks_of_node) ranks += static_cast<int>(on_node.size());
  return ranks;
}

int GroupNodes::node_of(int rank) const {
  const auto is_on = [&](std::size_t node) {
    return std::ranges::binary_search(ranks_of_node[node], rank);
  };
  // If ranks are numbered node by node, equally many on each, the answer needs no search.
  const std::size_t on_first = std::max<std::size_t>(ranks_of_node.front().size(), 1);
  const std::size_t likely = static_cast<std::size_t>(rank) / on_first;
  if (likely < ranks_of_node.size() && is_on(likely)) return static_cast<int>(likely);
  std::size_t node = 0;
  while (!is_on(node)) ++node;
  return static_cast<int>(node);
}

std::vector<int> GroupNodes::node_of_rank() const {
  std::vector<int> node_of_rank(static_cast<std::size_t>(ranks()));
  for (std::size_t node = 0; node < ranks_of_node.size(); ++node) {
    for (const int rank : ranks_of_node[node])
      node_of_rank[static_cast<std::size_t>(rank)] = static_cast<int>(node);
  }
  return node_of_rank;
}

void GroupNodes::set_rates(std::span<const double> by_axis) {
  std::set<double> rates;  // the rates of axes that have links
  for (int axis = 0; axis < shape->dimensions(); ++axis) {
    if (shape->extent(axis) > 1) rates.insert(by_axis[static_cast<std::size_t>(axis)]);
  }
  const auto known = rates.upper_bound(0);
  if (known != rates.end()) link_bytes_per_second = *known;
  if (rates.size() > 1 && known == rates.begin())
    axis_bytes_per_second.assign(by_axis.begin(), by_axis.end());
}

GroupNodes GroupNodes::one_node(int ranks) {
  GroupNodes group{.ranks_of_node = {std::vector<int>(static_cast<std::size_t>(ranks))}};
  std::iota(group.ranks_of_node[0].begin(), group.ranks_of_node[0].end(), 0);
  return group;
}

GroupNodes GroupNodes::apart(int ranks) {
  GroupNodes group;
  for (int rank = 0; rank < ranks; ++rank) group.ranks_of_node.push_back({rank});
  return group;
}

GroupNodes nodes_of_group(const Discovery& discovery, std::span<const int> world_ranks) {
  auto in_box = nodes_in_box(discovery, world_ranks);
  GroupNodes group = in_box ? *std::move(in_box) : nodes_anywhere(discovery, world_ranks);
  // Of a box of a network whose cables were left out, nothing is known beyond its shape.
  if (!group.shape || discovery.network.nodes() > 0)
    group.network = network_of(group, discovery, world_ranks);
  group.burst_bytes = discovery.burst_bytes;
  if (group.network && !group.shape) group.link_bytes_per_second = slowest_link(*group.network);
  return group;
}

}  // namespace cuboid::detail
