#include "topology/recognition/canonical.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace cuboid::detail::recognition {
namespace {

constexpr Axis binary{2, false};

int position(const AxisReading& reading, int vertex) {
  return reading.position[static_cast<std::size_t>(vertex)];
}

/// The axes of the embedding. An axis of extent 4 that wraps becomes two axes of extent 2: their
/// cables will tell if they belong together.
std::vector<AxisReading> split_axes(const Embedding& embedding) {
  std::vector<AxisReading> axes;
  for (const Axis& axis : embedding.shape.axes()) {
    AxisReading reading;
    reading.axis = axis;
    reading.position.assign(embedding.place.size(), -1);
    axes.push_back(std::move(reading));
  }
  for (std::size_t vertex = 0; vertex < embedding.place.size(); ++vertex) {
    if (embedding.place[vertex] < 0) continue;
    const Coordinate coordinate = embedding.shape.coordinate(embedding.place[vertex]);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      axes[axis].position[vertex] = coordinate[axis];
    }
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].axis != Axis{4, true}) continue;
    AxisReading low = axes[i];
    low.axis = axes[i].axis = binary;
    for (std::size_t vertex = 0; vertex < low.position.size(); ++vertex) {
      const int round = axes[i].position[vertex];
      if (round < 0) continue;
      axes[i].position[vertex] = round / 2;
      low.position[vertex] = round % 2 ^ round / 2;
    }
    axes.push_back(std::move(low));
  }
  return axes;
}

/// The most frequent value; of several equally frequent values, the largest.
template <typename Value>
Value commonest(const std::map<Value, int>& seen, Value none) {
  int most = 0;
  for (const auto& [value, times] : seen) {
    if (times >= most) std::tie(none, most) = std::pair(value, times);
  }
  return none;
}

void measure_cables(const Network& network, const Graph& graph, std::vector<AxisReading>& axes) {
  std::vector<std::map<int, int>> parallel(axes.size());
  std::vector<std::map<double, int>> rates(axes.size());
  for (const GraphEdge& edge : graph.edges()) {
    const int found = axis_between(axes, edge.a, edge.b);
    if (found < 0) continue;
    const auto axis = static_cast<std::size_t>(found);
    ++parallel[axis][static_cast<int>(edge.cables.size())];
    for (const int cable : edge.cables) {
      ++rates[axis][network.links()[2 * static_cast<std::size_t>(cable)].bytes_per_second];
    }
  }
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    axes[axis].parallel_cables = commonest(parallel[axis], 1);
    axes[axis].bytes_per_second = commonest(rates[axis], 0.0);
  }
}

/// Makes an axis of extent 2 wrap if it has twice as many cables as longer axes: the second cable
/// is the way round.
void tell_double_cables(std::vector<AxisReading>& axes) {
  int usual = 0;
  for (const AxisReading& reading : axes) {
    if (reading.axis.extent == 2) continue;
    usual = usual == 0 ? reading.parallel_cables : std::min(usual, reading.parallel_cables);
  }
  usual = std::max(usual, 1);
  for (AxisReading& reading : axes) {
    if (reading.axis.extent != 2 || reading.parallel_cables == usual) continue;
    if (reading.parallel_cables % 2 != 0) continue;
    reading.axis.wraps = true;
    reading.parallel_cables /= 2;
  }
}

/// The neighbours of the reference vertex on an axis, in + and - direction; -1 if there is none.
struct Around {
  int ahead = -1;
  int behind = -1;
};
Around around(const Graph& graph, const std::vector<AxisReading>& axes, std::size_t axis,
              int reference) {
  Around found;
  const AxisReading& reading = axes[axis];
  for (const Neighbour& neighbour : graph.neighbours(reference)) {
    if (axis_between(axes, reference, neighbour.vertex) != static_cast<int>(axis)) continue;
    const int step = position(reading, neighbour.vertex) - position(reading, reference);
    const bool is_ahead = step == 1 || (step < -1 && reading.axis.wraps);
    (is_ahead ? found.ahead : found.behind) = neighbour.vertex;
  }
  return found;
}

/// Moves and turns an axis so that the reference vertex is at 0 if the axis wraps, and in the lower
/// half if it does not. Its neighbour with the lower number is in + direction.
void orient(const Graph& graph, std::vector<AxisReading>& axes, std::size_t axis, int reference) {
  const Around neighbours = around(graph, axes, axis, reference);
  AxisReading& reading = axes[axis];
  const int extent = reading.axis.extent;
  const bool ring = reading.axis.wraps && extent > 2;
  const int origin = position(reading, reference);
  const bool lower_behind = neighbours.behind >= 0 && neighbours.behind < neighbours.ahead;
  const bool mirror = ring ? lower_behind : 2 * origin > extent - 1;
  for (int& at : reading.position) {
    if (at < 0) continue;
    if (ring) at = (at - origin + extent) % extent;
    if (mirror) at = ring ? (extent - at) % extent : extent - 1 - at;
  }
}

/// Makes a ring of 4 of two axes of extent 2: the first becomes the ring.
void join(AxisReading& high, const AxisReading& low) {
  for (std::size_t vertex = 0; vertex < high.position.size(); ++vertex) {
    int& here = high.position[vertex];
    if (here >= 0) here = 2 * here + (here ^ low.position[vertex]);
  }
  high.axis = {4, true};
}

/// Joins equal axes of extent 2 in pairs. So that a network that is numbered row by row keeps its
/// axes, neighbours of the reference vertex that are s and 3s away from it are taken for a ring of
/// 4; the other axes are paired in the order of these neighbours.
void pair_binary_axes(const Graph& graph, std::vector<AxisReading>& axes, int reference) {
  std::map<std::pair<int, double>, std::map<int, std::size_t>> kinds;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].axis != binary) continue;
    const Around neighbours = around(graph, axes, axis, reference);
    const int neighbour = std::max(neighbours.ahead, neighbours.behind);
    // If damage removed the neighbour, a number that no vertex has.
    const int away =
        neighbour >= 0 ? neighbour - reference : 3 * graph.vertices() + static_cast<int>(axis);
    kinds[{axes[axis].parallel_cables, axes[axis].bytes_per_second}].emplace(away, axis);
  }
  std::vector<std::size_t> absorbed;
  for (auto& [kind, in_order] : kinds) {
    const auto join_them = [&](auto high, auto low) {
      join(axes[high->second], axes[low->second]);
      absorbed.push_back(low->second);
      in_order.erase(high);
      return in_order.erase(low);
    };
    for (auto low = in_order.begin(); low != in_order.end();) {
      const auto high = in_order.find(3 * low->first);
      low = high == in_order.end() ? std::next(low) : join_them(high, low);
    }
    while (in_order.size() > 1) {
      const auto high = std::prev(in_order.end());
      join_them(high, std::prev(high));
    }
  }
  std::ranges::sort(absorbed, std::ranges::greater());
  for (const std::size_t axis : absorbed) {
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(axis));
  }
}

/// For each axis, the difference of two neighbours' numbers if most neighbours have the same: 5 and
/// 1 for nodes numbered row by row in torus:3x5. 0 for an axis without such a difference. Each
/// missing node may make a difference smaller by 1.
std::vector<int> strides(const Graph& graph, const std::vector<AxisReading>& axes) {
  int places = 1;
  for (const AxisReading& reading : axes) places *= reading.axis.extent;
  const int missing = std::max(0, places - graph.vertices());
  std::vector<std::vector<int>> seen(axes.size());
  for (const GraphEdge& edge : graph.edges()) {
    const int found = axis_between(axes, edge.a, edge.b);
    if (found < 0) continue;
    const auto axis = static_cast<std::size_t>(found);
    if (std::abs(position(axes[axis], edge.a) - position(axes[axis], edge.b)) == 1)
      seen[axis].push_back(std::abs(edge.a - edge.b));
  }
  std::vector<int> result(axes.size(), 0);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    std::vector<int>& steps = seen[axis];
    if (steps.empty()) continue;
    const auto middle = steps.begin() + std::ssize(steps) / 2;
    std::ranges::nth_element(steps, middle);
    const int median = *middle;
    const auto alike =
        std::ranges::count_if(steps, [=](int step) { return std::abs(step - median) <= missing; });
    if (2 * alike > std::ssize(steps)) result[axis] = median;
  }
  return result;
}

/// Puts the axes into the order in which the vertices are numbered, the last axis fastest. Axes
/// whose numbers show no order stand in that of their extents and rates.
void sort_axes(const Graph& graph, std::vector<AxisReading>& axes, int reference) {
  using Key = std::tuple<int, bool, int, double, int>;
  std::vector<std::pair<Key, std::size_t>> order;
  const std::vector<int> stride = strides(graph, axes);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const auto& [kind, parallel, rate, positions] = axes[axis];
    const Around neighbours = around(graph, axes, axis, reference);
    order.emplace_back(
        Key(stride[axis], kind.wraps, kind.extent, rate * parallel, neighbours.ahead), axis);
  }
  std::ranges::sort(order, std::ranges::greater());
  std::vector<AxisReading> sorted;
  for (const auto& [key, axis] : order) sorted.push_back(std::move(axes[axis]));
  axes = std::move(sorted);
}

}  // namespace

std::vector<AxisReading> canonical_axes(const Network& network, const Graph& graph,
                                        const Embedding& embedding) {
  std::vector<AxisReading> axes = split_axes(embedding);
  measure_cables(network, graph, axes);
  tell_double_cables(axes);
  const auto first_placed =
      std::ranges::find_if(embedding.place, [](NodeIndex place) { return place >= 0; });
  const int reference = static_cast<int>(first_placed - embedding.place.begin());
  pair_binary_axes(graph, axes, reference);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) orient(graph, axes, axis, reference);
  sort_axes(graph, axes, reference);
  return axes;
}

bool uniform_cables(const Network& network, const Graph& graph, const Embedding& embedding) {
  std::vector<AxisReading> axes = split_axes(embedding);
  measure_cables(network, graph, axes);
  return std::ranges::all_of(graph.edges(), [&](const GraphEdge& edge) {
    const int found = axis_between(axes, edge.a, edge.b);
    if (found < 0) return true;
    const AxisReading& axis = axes[static_cast<std::size_t>(found)];
    return std::cmp_equal(edge.cables.size(), axis.parallel_cables) &&
           std::ranges::all_of(edge.cables, [&](int cable) {
             return network.links()[2 * static_cast<std::size_t>(cable)].bytes_per_second ==
                    axis.bytes_per_second;
           });
  });
}

int axis_between(const std::vector<AxisReading>& axes, int one, int other) {
  int found = -1;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const auto& [extent, wraps] = axes[axis].axis;
    const int here = position(axes[axis], one);
    const int there = position(axes[axis], other);
    if (here < 0 || there < 0) return -1;
    if (here == there) continue;
    const int apart = std::abs(here - there);
    if (found >= 0 || (apart != 1 && !(wraps && apart == extent - 1))) return -1;
    found = static_cast<int>(axis);
  }
  return found;
}

}  // namespace cuboid::detail::recognition
