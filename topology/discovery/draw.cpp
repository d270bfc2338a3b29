#include "topology/discovery/draw.hpp"

#include "base/xml_text.hpp"
#include "topology/shape/rate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr double cell = 90;       ///< distance between neighbours on an axis
constexpr double plane_gap = 60;  ///< further distance between planes of more than two axes
constexpr double margin = 70;
constexpr double legend_line = 22;

struct Point {
  double x = 0;
  double y = 0;
};

Point operator+(Point a, Point b) {
  return {a.x + b.x, a.y + b.y};
}

/// The point at which a shape's node is drawn. The last axis goes right, the axis before it down.
/// The other axes place such planes alternately beside and below each other.
Point point_of(const Shape& shape, NodeIndex node) {
  const Coordinate coordinate = shape.coordinate(node);
  Point point{margin, margin};
  std::array<double, 2> stride = {cell, cell};
  for (int axis = shape.dimensions() - 1, turn = 0; axis >= 0; --axis, ++turn) {
    const auto direction = static_cast<std::size_t>(turn % 2);
    double& target = direction == 0 ? point.x : point.y;
    target += coordinate[static_cast<std::size_t>(axis)] * stride[direction];
    stride[direction] = stride[direction] * shape.extent(axis) + plane_gap;
  }
  return point;
}

/// The points of nodes on a circle, in order.
std::vector<Point> circle_of(int nodes) {
  const double radius = std::max(cell, cell * nodes / (2 * std::numbers::pi));
  std::vector<Point> points;
  for (int node = 0; node < nodes; ++node) {
    const double angle = 2 * std::numbers::pi * node / nodes;
    points.push_back(
        {margin + radius * (1 + std::sin(angle)), margin + radius * (1 - std::cos(angle))});
  }
  return points;
}

double lowest(const std::vector<Point>& points) {
  double y = 0;
  for (const Point& point : points) y = std::max(y, point.y);
  return y;
}

/// The points of all nodes of the network: each node at its place in the shape, hosts of a switch
/// in a row just below it, nodes without a place in a row below everything.
std::vector<Point> points_in_shape(const Network& network, const Recognition& recognition) {
  std::vector<Point> points(static_cast<std::size_t>(network.nodes()));
  std::map<NodeIndex, int> hosts_at;
  std::vector<std::size_t> left_over;
  for (std::size_t node = 0; node < points.size(); ++node) {
    const NodeIndex place = recognition.place[node];
    if (place < 0) {
      left_over.push_back(node);
      continue;
    }
    points[node] = point_of(recognition.shape, place);
    const bool beside_switch =
        recognition.through_switches && network.role(static_cast<int>(node)) == Role::host;
    if (beside_switch) points[node] = points[node] + Point{18.0 * hosts_at[place]++ - 18, 34};
  }
  const double y = lowest(points) + cell;
  for (std::size_t i = 0; i < left_over.size(); ++i) {
    points[left_over[i]] = {margin + cell * static_cast<double>(i), y};
  }
  return points;
}

std::string rate_text(double bytes_per_second) {
  return bytes_per_second > 0 ? rounded_rate(bytes_per_second) : "rate not known";
}

/// One colour per rate, from slow to fast. If there are more rates than colours, the fastest rates
/// share the last colour.
class Colours {
 public:
  explicit Colours(const Network& network) {
    for (const Link& link : network.links()) ranks_.try_emplace(link.bytes_per_second, 0);
    std::size_t next = 0;
    for (auto& [rate, colour] : ranks_) colour = std::min(next++, palette.size() - 1);
  }

  std::string_view of(double rate) const { return palette[ranks_.at(rate)]; }
  const std::map<double, std::size_t>& rates() const { return ranks_; }

 private:
  static constexpr std::array<std::string_view, 6> palette = {"#4477aa", "#228833", "#ccbb44",
                                                              "#ee6677", "#aa3377", "#66ccee"};
  std::map<double, std::size_t> ranks_;
};

class Drawing {
 public:
  explicit Drawing(const Discovery& discovery)
      : discovery_(discovery), network_(discovery.network), colours_(network_) {
    const auto& recognition = discovery.recognition;
    points_ = recognition ? points_in_shape(network_, *recognition) : circle_of(network_.nodes());
  }

  std::string document() {
    const double nodes_end = lowest(points_) + margin;
    draw_cables();
    draw_missing_cables();
    draw_nodes();
    draw_legend(nodes_end);
    double width = 420;
    for (const Point& point : points_) width = std::max(width, point.x + margin);
    const double height =
        nodes_end + legend_line * (2 + static_cast<double>(colours_.rates().size()) +
                                   (has_missing_cables() ? 1 : 0));
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"white\"/>\n{2}</svg>\n",
        width, height, body_);
  }

 private:
  template <typename... Arguments>
  void write(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Arguments>(arguments)...);
  }

  static constexpr std::string_view missing_style =
      "stroke=\"#cc0000\" stroke-width=\"1.5\" stroke-dasharray=\"4 4\"";

  std::string style_of(double rate) const {
    return fmt::format("stroke=\"{}\" stroke-width=\"2\"", colours_.of(rate));
  }
  bool has_missing_cables() const {
    return discovery_.recognition && !discovery_.recognition->missing_cables.empty();
  }

  Point point(int node) const { return points_[static_cast<std::size_t>(node)]; }

  /// Draws a curve. Long curves bend more, so that wrap cables do not hide cables between
  /// neighbours. Parallel cables do not hide each other either.
  void draw_line(Point a, Point b, int parallel, std::string_view style, const std::string& title) {
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const double steps = length / cell;
    const double bow = (steps > 1.5 ? 8 + 4 * steps : 0) + 10 * parallel;
    const Point middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
    const double scale = length > 0 ? 2 * bow / length : 0;
    const Point control{middle.x - (b.y - a.y) * scale, middle.y + (b.x - a.x) * scale};
    write(
        "<path d=\"M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" "
        "{}><title>{}</title></path>\n",
        a.x, a.y, control.x, control.y, b.x, b.y, style, xml_text(title));
  }

  void draw_cables() {
    std::map<std::pair<int, int>, int> drawn;
    for (int cable = 0; cable < network_.cables(); ++cable) {
      const Link& link = network_.links()[static_cast<std::size_t>(2 * cable)];
      const auto [low, high] = std::minmax(link.from, link.to);
      const int parallel = drawn[{low, high}]++;
      draw_line(point(low), point(high), parallel, style_of(link.bytes_per_second),
                fmt::format("{} - {}: {}", network_.name(link.from), network_.name(link.to),
                            rate_text(link.bytes_per_second)));
    }
  }

  void draw_missing_cables() {
    if (!discovery_.recognition) return;
    const Shape& shape = discovery_.recognition->shape;
    for (const ShapeCable& cable : discovery_.recognition->missing_cables) {
      draw_line(point_of(shape, cable.from),
                point_of(shape, shape.neighbour(cable.from, cable.axis, +1)), 0, missing_style,
                "missing cable");
    }
  }

  std::string label_of(int node) const {
    std::string label = network_.name(node);
    if (const auto coordinate = discovery_.coordinate(node)) {
      const std::string place = fmt::format("{}", fmt::join(*coordinate, ","));
      if (place != label && !place.empty()) label += fmt::format(" ({})", place);
    }
    return label;
  }

  void draw_nodes() {
    std::vector<int> ranks(static_cast<std::size_t>(network_.nodes()), 0);
    for (const int node : discovery_.node_of_rank) ++ranks[static_cast<std::size_t>(node)];
    for (int node = 0; node < network_.nodes(); ++node) {
      const Point at = point(node);
      const int count = ranks[static_cast<std::size_t>(node)];
      const std::string title = fmt::format("{}: {} ranks", label_of(node), count);
      const std::string_view fill = count > 0 ? "#335577" : "#bbbbbb";
      if (network_.role(node) == Role::network_switch) {
        write(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"16\" height=\"16\" "
            "fill=\"#777777\"><title>{}</title></rect>\n",
            at.x - 8, at.y - 8, xml_text(title));
      } else {
        write(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"7\" fill=\"{}\"><title>{}</title></circle>\n",
            at.x, at.y, fill, xml_text(title));
      }
      // The white around the letters keeps them legible where a cable crosses them.
      write(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" stroke=\"white\" stroke-width=\"3\" "
          "paint-order=\"stroke\">{}</text>\n",
          at.x + 10, at.y - 9, xml_text(label_of(node)));
    }
  }

  void draw_legend(double top) {
    const std::string what =
        discovery_.recognition ? discovery_.recognition->explanation() : discovery_.evidence;
    write("<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"14\">{}</text>\n", margin / 2, top,
          xml_text(what));
    const auto explain = [&](const std::string& style, std::string_view meaning) {
      top += legend_line;
      write("<line x1=\"{0:.0f}\" y1=\"{2:.0f}\" x2=\"{1:.0f}\" y2=\"{2:.0f}\" {3}/>\n", margin / 2,
            margin, top - 4, style);
      write("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", margin + 10, top, meaning);
    };
    for (const auto& [rate, colour] : colours_.rates()) explain(style_of(rate), rate_text(rate));
    if (has_missing_cables()) explain(std::string(missing_style), "missing cable");
  }

  const Discovery& discovery_;
  const Network& network_;
  Colours colours_;
  std::vector<Point> points_;
  std::string body_;
};

}  // namespace

std::string draw_svg(const Discovery& discovery) {
  return Drawing(discovery).document();
}

}  // namespace cuboid::detail
