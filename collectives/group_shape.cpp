#include <cuboid/collectives/group_shape.hpp>
#include <cuboid/topology/cuboid.hpp>

#include <algorithm>
#include <set>

namespace cuboid {

namespace {

// A run of coordinates along one axis, going on at 0 behind the end where the axis wraps.
struct Run {
  int first;
  int length;
};

std::optional<Run> run_of(const std::set<int>& values, const Axis& axis) {
  const int length = static_cast<int>(values.size());
  if (length == axis.extent) return Run{0, length};
  for (const int first : values) {
    bool whole = true;
    for (int step = 1; step < length && whole; ++step) {
      const int next = axis.wraps ? (first + step) % axis.extent : first + step;
      whole = values.contains(next);
    }
    if (whole) return Run{first, length};
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

}  // namespace

std::optional<GroupShape> shape_of_group(const Discovery& discovery,
                                         std::span<const int> world_ranks) {
  if (!discovery.recognition || !discovery.recognition->missing_cables.empty()) return std::nullopt;
  const Shape& whole = discovery.recognition->shape;
  std::vector<Coordinate> coordinates;
  for (const int rank : world_ranks) {
    const auto coordinate =
        discovery.coordinate(discovery.node_of_rank[static_cast<std::size_t>(rank)]);
    if (!coordinate) return std::nullopt;
    coordinates.push_back(*coordinate);
  }
  const auto box = box_around(whole, coordinates);
  if (!box || box->nodes() != static_cast<NodeIndex>(world_ranks.size())) return std::nullopt;

  constexpr int nobody = -1;
  GroupShape group{box->inside(), std::vector<int>(world_ranks.size(), nobody), 0};
  for (std::size_t rank = 0; rank < coordinates.size(); ++rank) {
    const auto place = box->place(whole.index(coordinates[rank]));
    int& occupant = group.rank_of_place[static_cast<std::size_t>(place.value())];
    if (occupant != nobody) return std::nullopt;  // two ranks on one node
    occupant = static_cast<int>(rank);
  }
  for (int axis = 0; axis < group.shape.dimensions(); ++axis) {
    const double rate = discovery.recognition->bytes_per_second[static_cast<std::size_t>(axis)];
    if (group.shape.extent(axis) < 2) continue;
    const bool slower = group.link_bytes_per_second == 0 || rate < group.link_bytes_per_second;
    if (slower) group.link_bytes_per_second = rate;
  }
  return group;
}

}  // namespace cuboid
