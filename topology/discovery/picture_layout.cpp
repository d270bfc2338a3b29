#include "topology/discovery/picture_layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail {

namespace {

constexpr double gap = 150;  // between panels
constexpr int planes_in_a_row = 4;
constexpr NodeIndex nowhere = -1;

Point operator+(Point a, Point b) {
  return {a.x + b.x, a.y + b.y};
}

Point on_circle(int number, int count) {
  const double radius =
      std::max(PictureLayout::step, PictureLayout::step * count / (2 * std::numbers::pi));
  const double angle = 2 * std::numbers::pi * number / count;
  return {radius * std::sin(angle), -radius * std::cos(angle)};
}

bool is_ring(const Shape& shape) {
  return shape.dimensions() == 1 && shape.wraps(0) && shape.extent(0) > 2;
}

}  // namespace

PictureLayout::PictureLayout(const Discovery& discovery) {
  const auto nodes = static_cast<std::size_t>(discovery.network.nodes());
  offset_.resize(nodes);
  place_.assign(nodes, nowhere);
  on_circle_ = !discovery.recognition || is_ring(discovery.recognition->shape);
  if (!discovery.recognition) {
    for (std::size_t node = 0; node < nodes; ++node) {
      offset_[node] = on_circle(static_cast<int>(node), static_cast<int>(nodes));
      nodes_.push_back({static_cast<int>(node), offset_[node]});
    }
    return;
  }
  shape_ = discovery.recognition->shape;
  place_ = discovery.recognition->place;
  const int axes = shape_.dimensions();
  std::vector<int> of_plane;
  for (int axis = std::max(0, axes - 2); axis < axes; ++axis) of_plane.push_back(axis);
  add_panels(of_plane, 0);
  const double width = std::min(panels_[0].count, planes_in_a_row) * panels_[0].width;
  for (int axis = 0; axis + 2 < axes; ++axis) add_panels({axis}, width);
  place_nodes(discovery);
  if (axes > 2) std::ranges::for_each(panels_, [this](const Panels& one) { add_captions(one); });
}

/// Adds the panels along these axes below the others. Lines fill a width, planes stand in fours.
void PictureLayout::add_panels(std::vector<int> axes, double width) {
  Panels panels;
  const auto length = [this](int axis) { return (shape_.extent(axis) - 1) * step; };
  panels.top = bottom();
  panels.width = (axes.empty() ? 0 : length(axes.back())) + gap;
  panels.height = (axes.size() < 2 ? 0 : length(axes.front())) + gap;
  NodeIndex in_panel = 1;
  for (const int axis : axes) in_panel *= shape_.extent(axis);
  panels.count = static_cast<int>(shape_.nodes() / in_panel);
  panels.columns = width > 0 ? std::max(1, static_cast<int>(std::lround(width / panels.width)))
                             : planes_in_a_row;
  panels.axes = std::move(axes);
  panels_.push_back(std::move(panels));
}

double PictureLayout::bottom() const {
  if (panels_.empty()) return 0;
  const Panels& last = panels_.back();
  return last.top + last.height * ((last.count + last.columns - 1) / last.columns);
}

/// The number of a node's panel: the coordinates along the other axes, row by row.
int PictureLayout::number_of(const Panels& panels, const Coordinate& coordinate) const {
  int number = 0;
  for (int axis = 0; axis < shape_.dimensions(); ++axis) {
    if (std::ranges::find(panels.axes, axis) == panels.axes.end())
      number = number * shape_.extent(axis) + coordinate[static_cast<std::size_t>(axis)];
  }
  return number;
}

Point PictureLayout::point(const Panels& panels, NodeIndex place) const {
  if (on_circle_) return on_circle(static_cast<int>(place), static_cast<int>(shape_.nodes()));
  const Coordinate coordinate = shape_.coordinate(place);
  const auto along = [&](int axis) { return coordinate[static_cast<std::size_t>(axis)] * step; };
  const int number = number_of(panels, coordinate);
  return {number % panels.columns * panels.width +
              (panels.axes.empty() ? 0 : along(panels.axes.back())),
          panels.top + number / panels.columns * panels.height +
              (panels.axes.size() < 2 ? 0 : along(panels.axes.front()))};
}

/// The panels that show a cable between two places: the lines along its axis, or the planes.
const PictureLayout::Panels& PictureLayout::panels_of(NodeIndex one, NodeIndex other) const {
  if (one == nowhere || other == nowhere) return panels_.front();
  const Coordinate a = shape_.coordinate(one);
  const Coordinate b = shape_.coordinate(other);
  const auto found = std::ranges::find_if(
      panels_, [&](const Panels& panels) { return number_of(panels, a) == number_of(panels, b); });
  return found == panels_.end() ? panels_.front() : *found;
}

std::pair<Point, Point> PictureLayout::ends(int from, int to) const {
  const auto at = [this](const Panels* panels, int node) {
    const NodeIndex place = place_[static_cast<std::size_t>(node)];
    const Point offset = offset_[static_cast<std::size_t>(node)];
    return place == nowhere ? offset : point(*panels, place) + offset;
  };
  const Panels* panels = panels_.empty() ? nullptr
                                         : &panels_of(place_[static_cast<std::size_t>(from)],
                                                      place_[static_cast<std::size_t>(to)]);
  return {at(panels, from), at(panels, to)};
}

std::pair<Point, Point> PictureLayout::ends(const ShapeCable& cable) const {
  const NodeIndex next = shape_.neighbour(cable.from, cable.axis, +1);
  const Panels& panels = panels_of(cable.from, next);
  return {point(panels, cable.from), point(panels, next)};
}

void PictureLayout::place_nodes(const Discovery& discovery) {
  const Recognition& recognition = *discovery.recognition;
  constexpr double beside = 18;
  constexpr double below = 34;
  std::map<NodeIndex, int> hosts_at;
  Point left_over{0, bottom()};
  for (int node = 0; node < discovery.network.nodes(); ++node) {
    Point& offset = offset_[static_cast<std::size_t>(node)];
    const NodeIndex place = place_[static_cast<std::size_t>(node)];
    if (place == nowhere) {
      offset = left_over;
      left_over.x += step;
      nodes_.push_back({node, offset});
      continue;
    }
    if (recognition.through_switches && discovery.network.role(node) == Role::host)
      offset = {beside * hosts_at[place]++ - beside, below};
    for (const Panels& panels : panels_) nodes_.push_back({node, point(panels, place) + offset});
  }
}

void PictureLayout::add_captions(const Panels& panels) {
  constexpr double below = 36;
  for (NodeIndex place = 0; place < shape_.nodes(); ++place) {
    const Coordinate coordinate = shape_.coordinate(place);
    std::vector<std::string> parts;
    bool first = true;  // of its panel
    for (int axis = 0; axis < shape_.dimensions(); ++axis) {
      const int here = coordinate[static_cast<std::size_t>(axis)];
      const bool along = std::ranges::find(panels.axes, axis) != panels.axes.end();
      first = first && (!along || here == 0);
      parts.push_back(along ? "·" : std::to_string(here));
    }
    if (!first) continue;
    captions_.push_back({fmt::format("({})", fmt::join(parts, ", ")),
                         point(panels, place) + Point{0, panels.height - gap + below}});
  }
}

}  // namespace cuboid::detail
