#include "tools/figures/figure_output.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string number(double value) {
  return fmt::format("{:.5g}", value);
}

/// The place in the paper where the number is printed; empty if the paper does not print it.
std::string_view place_of(const Comparison& one) {
  return one.printed ? one.printed->place() : std::string_view();
}

/// The points of all curves as a table. All curves of a plot have points at the same x values.
std::string points_text(const Plot& plot) {
  std::string text = fmt::format("{:>24}", plot.x_axis);
  for (const Curve& curve : plot.curves) text += fmt::format("  {:>20}", curve.name);
  text += fmt::format("   ({})\n", plot.y_axis);
  for (std::size_t row = 0; row < plot.curves.front().points.size(); ++row) {
    text += fmt::format("{:>24.8g}", plot.curves.front().points[row].first);
    for (const Curve& curve : plot.curves)
      text += row < curve.points.size() ? fmt::format("  {:>20}", number(curve.points[row].second))
                                        : fmt::format("  {:>20}", "-");
    text += "\n";
  }
  return text;
}

}  // namespace

std::string list_text() {
  std::string text;
  for (const FigureEntry& entry : figures())
    text += fmt::format("{:<20} {}\n", entry.name, entry.summary);
  return text;
}

Json list_json() {
  Json list = Json::array();
  for (const FigureEntry& entry : figures())
    list.push_back({{"name", entry.name}, {"summary", entry.summary}});
  return {{"figures", list}};
}

std::string to_text(const FigureEntry& entry, const Figure& figure) {
  std::string text = fmt::format("# {}: {}\n\n{:<82} {:>12} {:>12} {:>9}  {}\n", entry.name,
                                 entry.summary, "", "ours", "paper", "differs", "printed in");
  for (const Comparison& one : figure.comparisons) {
    const auto difference = one.difference();
    text +=
        fmt::format("{:<82} {:>12} {:>12} {:>9}  {}\n", one.what, number(one.ours),
                    one.printed ? number(*one.paper()) : "-",
                    difference ? fmt::format("{:+.1f}%", 100 * *difference) : "-", place_of(one));
    if (!one.why.empty()) text += fmt::format("    why: {}\n", one.why);
  }
  text += "\n" + points_text(figure.plot);
  for (const std::string& note : figure.notes) text += fmt::format("\n{}", note);
  return figure.notes.empty() ? text : text + "\n";
}

Json to_json(const FigureEntry& entry, const Figure& figure) {
  Json object = {{"name", entry.name},           {"summary", entry.summary},
                 {"comparisons", Json::array()}, {"x_axis", figure.plot.x_axis},
                 {"y_axis", figure.plot.y_axis}, {"curves", Json::array()},
                 {"notes", figure.notes}};
  for (const Comparison& one : figure.comparisons) {
    object["comparisons"].push_back({{"what", one.what},
                                     {"ours", one.ours},
                                     {"paper", or_null(one.paper())},
                                     {"printed_in", place_of(one)},
                                     {"difference", or_null(one.difference())},
                                     {"why", one.why}});
  }
  for (const Curve& curve : figure.plot.curves)
    object["curves"].push_back({{"name", curve.name}, {"points", curve.points}});
  return object;
}

}  // namespace cuboid::detail::tools
