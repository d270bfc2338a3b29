#include "topology/discovery/draw.hpp"

#include "base/xml_text.hpp"
#include "topology/discovery/picture_layout.hpp"
#include "topology/shape/rate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail {

namespace {

constexpr double margin = 90;
constexpr double legend_line = 22;
constexpr double radius = 15;
constexpr double lane = 2.6;  ///< from a cable's middle to the line of one direction

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

/// Grey for an idle cable, from yellow to red for a busy one. Bursts may exceed the rate.
std::string colour_of(double utilisation) {
  if (utilisation <= 0) return "#d0d4da";
  const double share = std::min(utilisation, 1.0);
  const auto mix = [share](double low, double high) {
    return static_cast<int>(std::lround(low + share * (high - low)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(250, 200), mix(200, 20), mix(60, 40));
}

class Drawing {
 public:
  Drawing(const Discovery& discovery, const NetworkTraffic* traffic)
      : discovery_(discovery),
        network_(discovery.network),
        traffic_(traffic),
        colours_(network_),
        layout_(discovery),
        ranks_(static_cast<std::size_t>(network_.nodes()), 0) {
    for (const int node : discovery.node_of_rank) ++ranks_[static_cast<std::size_t>(node)];
  }

  std::string document(std::string title) {
    if (title.empty()) {
      title = discovery_.recognition ? discovery_.recognition->explanation() : discovery_.evidence;
    }
    draw_cables();
    if (traffic_ == nullptr) draw_missing_cables();
    for (const PictureLayout::DrawnNode& node : layout_.nodes()) draw_node(node);
    for (const auto& [text, at] : layout_.captions()) write_text(at, "fill=\"#39424e\"", text);
    double left = 0;
    double right = 0;
    double top = 0;
    double bottom = 0;
    for (const auto& [node, at] : layout_.nodes()) {
      left = std::min(left, at.x - margin);
      right = std::max(right, at.x + margin);
      top = std::min(top, at.y - margin);
      bottom = std::max(bottom, at.y + margin);
    }
    write_text({left + 16, top + 16}, "font-size=\"14\"", title);
    if (traffic_ != nullptr) {
      explain_traffic(left + 16, bottom);
    } else {
      explain_rates(left + 16, bottom);
    }
    constexpr double letter = 8;
    const double least = std::max(500.0, letter * static_cast<double>(title.size()));
    const double width = std::max(right - left, least);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{2:.0f}\" height=\"{3:.0f}\" "
        "viewBox=\"{0:.0f} {1:.0f} {2:.0f} {3:.0f}\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<title>{4}</title>\n<rect x=\"{0:.0f}\" y=\"{1:.0f}\" "
        "width=\"100%\" height=\"100%\" fill=\"white\"/>\n{5}</svg>\n",
        left, top, width, bottom - top, xml_text(title), body_);
  }

 private:
  template <typename... Arguments>
  void write(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Arguments>(arguments)...);
  }

  void write_text(Point at, std::string_view style, std::string_view text) {
    write("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", at.x, at.y, style, xml_text(text));
  }

  static constexpr std::string_view missing_style =
      "stroke=\"#cc0000\" stroke-width=\"1.5\" stroke-dasharray=\"4 4\"";
  static constexpr std::string_view dashes = " stroke-dasharray=\"3 5\"";

  std::string style_of(double rate) const {
    return fmt::format("stroke=\"{}\" stroke-width=\"2\"", colours_.of(rate));
  }

  /// Draws a line from `a` to `b`, `aside` pixels to the right of the way. A cable between nodes
  /// that are no neighbours is bent upwards or to the right, so that it hides no others.
  /// @param bend  of parallel cables, each another.
  void draw_line(Point a, Point b, double bend, double aside, std::string_view style,
                 const std::string& title) {
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    constexpr double farther = 1.5 * PictureLayout::step;
    if (layout_.on_grid() && length > farther) bend -= 1;
    if (std::tie(b.y, b.x) < std::tie(a.y, a.x)) bend = -bend;
    constexpr double most = 45;  // less than half of the way to the next line
    const double bow = 2 * bend * std::min(0.16 * length + 18, most);
    const Point across{(a.y - b.y) / length, (b.x - a.x) / length};
    const auto moved = [&](double x, double y, double by) {
      return Point{x + by * across.x, y + by * across.y};
    };
    const Point start = moved(a.x, a.y, aside);
    const Point end = moved(b.x, b.y, aside);
    const Point middle = moved((a.x + b.x) / 2, (a.y + b.y) / 2, bow + aside);
    write(
        "<path d=\"M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" "
        "{}><title>{}</title></path>\n",
        start.x, start.y, middle.x, middle.y, end.x, end.y, style, xml_text(title));
  }

  void draw_cables() {
    std::map<std::pair<int, int>, int> siblings;
    const auto pair_of = [this](int cable) {
      const Link& link = network_.links()[static_cast<std::size_t>(2 * cable)];
      return std::pair(std::minmax(link.from, link.to));
    };
    for (int cable = 0; cable < network_.cables(); ++cable) ++siblings[pair_of(cable)];
    std::map<std::pair<int, int>, int> drawn;
    for (int cable = 0; cable < network_.cables(); ++cable) {
      const auto pair = pair_of(cable);
      draw_cable(cable, drawn[pair]++ - (siblings[pair] - 1) / 2.0);
    }
  }

  void draw_cable(int cable, double bend) {
    for (const int direction : {0, 1}) {
      const auto number = static_cast<std::size_t>(2 * cable + direction);
      const Link& link = network_.links()[number];
      const auto [a, b] = layout_.ends(link.from, link.to);
      const std::string& from = network_.name(link.from);
      const std::string& to = network_.name(link.to);
      if (traffic_ == nullptr) {
        draw_line(a, b, bend, 0, style_of(link.bytes_per_second),
                  fmt::format("{} - {}: {}", from, to, rate_text(link.bytes_per_second)));
        return;
      }
      const auto& [bytes, up] = traffic_->of_link[number];
      const double could = link.bytes_per_second * traffic_->seconds;
      const double share = could > 0 ? bytes / could : 0;
      draw_line(
          a, b, bend, lane,
          fmt::format("stroke=\"{}\" stroke-width=\"{:.1f}\"{}", colour_of(share),
                      2 + 2 * std::min(share, 1.0), up ? "" : dashes),
          fmt::format("{} to {}: {}", from, to,
                      up ? fmt::format("{:.0f} bytes ({:.1f}%)", bytes, 100 * share) : "down"));
    }
  }

  void draw_missing_cables() {
    if (!has_missing_cables()) return;
    for (const ShapeCable& cable : discovery_.recognition->missing_cables) {
      const auto [a, b] = layout_.ends(cable);
      draw_line(a, b, 0, 0, missing_style, "missing cable");
    }
  }
  bool has_missing_cables() const {
    return discovery_.recognition && !discovery_.recognition->missing_cables.empty();
  }

  std::string tooltip_of(int node) const {
    std::string text = network_.name(node);
    if (const auto coordinate = discovery_.coordinate(node)) {
      const std::string place = fmt::format("{}", fmt::join(*coordinate, ","));
      if (place != text && !place.empty()) text += fmt::format(" ({})", place);
    }
    return fmt::format("{}: {} ranks", text, ranks_[static_cast<std::size_t>(node)]);
  }

  void draw_node(const PictureLayout::DrawnNode& drawn) {
    const auto& [node, at] = drawn;
    const std::string tooltip = xml_text(tooltip_of(node));
    constexpr std::string_view look = "fill=\"#f4f6fa\" stroke=\"#39424e\"";
    const bool is_switch = network_.role(node) == Role::network_switch;
    const bool beside_switch =
        !is_switch && discovery_.recognition && discovery_.recognition->through_switches;
    if (is_switch) {
      write(
          "<rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2}\" height=\"{2}\" "
          "{3}><title>{4}</title></rect>\n",
          at.x - radius, at.y - radius, 2 * radius, look, tooltip);
    } else {
      write("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" {}><title>{}</title></circle>\n", at.x,
            at.y, beside_switch ? radius / 2 : radius, look, tooltip);
    }
    if (beside_switch) return;
    // Long names stand below. The white around the letters keeps them legible on a cable.
    constexpr std::size_t longest_inside = 5;
    const std::string& name = network_.name(node);
    const bool inside = name.size() <= longest_inside;
    write_text({at.x, at.y + (inside ? 4 : radius + 11)},
               inside ? "text-anchor=\"middle\" font-size=\"10\" pointer-events=\"none\""
                      : "text-anchor=\"middle\" font-size=\"11\" stroke=\"white\" "
                        "stroke-width=\"3\" paint-order=\"stroke\"",
               name);
  }

  void explain_rates(double left, double& top) {
    const auto explain = [&](std::string_view style, std::string_view meaning) {
      write("<line x1=\"{0:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{2:.1f}\" {3}/>\n", left,
            left + 40, top, style);
      write_text({left + 50, top + 4}, "", meaning);
      top += legend_line;
    };
    for (const auto& [rate, colour] : colours_.rates()) explain(style_of(rate), rate_text(rate));
    if (has_missing_cables()) explain(missing_style, "missing cable");
  }

  void explain_traffic(double left, double& top) {
    constexpr int swatches = 11;
    constexpr double size = 12;
    for (int swatch = 0; swatch < swatches; ++swatch) {
      write("<rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2}\" height=\"{2}\" fill=\"{3}\"/>\n",
            left + 30 + size * swatch, top, size, colour_of(swatch / (swatches - 1.0)));
    }
    write_text({left, top + 11}, "", "0%");
    write_text({left + 36 + size * swatches, top + 11}, "",
               fmt::format("100% of a cable's rate for {:.3g} s; dashed: down", traffic_->seconds));
    top += legend_line;
  }

  const Discovery& discovery_;
  const Network& network_;
  const NetworkTraffic* traffic_;
  Colours colours_;
  PictureLayout layout_;
  std::vector<int> ranks_;  // by node
  std::string body_;
};

}  // namespace

std::string draw_svg(const Discovery& discovery, const std::string& title,
                     const NetworkTraffic* traffic) {
  return Drawing(discovery, traffic).document(title);
}

}  // namespace cuboid::detail
