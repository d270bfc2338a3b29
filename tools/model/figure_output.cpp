#include "tools/model/figure_output.hpp"

#include "base/page_text.hpp"
#include "tools/output/or_null.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t before_text = 2;  // spaces behind the numbers

std::string number(double value) {
  return fmt::format("{:.5g}", value);
}

/// The place in the paper where the number is printed; empty if the paper does not print it.
std::string_view place_of(const Comparison& one) {
  return one.printed ? one.printed->place() : std::string_view();
}

/// The points of all curves as a table. All curves of a plot have points at the same x values.
std::string points_text(const Plot& plot) {
  std::vector<std::string> heads{plot.x_axis};
  for (const Curve& curve : plot.curves) heads.push_back(curve.name);
  std::vector<PageRow> rows;
  for (std::size_t row = 0; row < plot.curves.front().points.size(); ++row) {
    std::vector<std::string> cells{fmt::format("{:.8g}", plot.curves.front().points[row].first)};
    for (const Curve& curve : plot.curves)
      cells.push_back(row < curve.points.size() ? number(curve.points[row].second) : "-");
    rows.push_back({.section = "", .cells = std::move(cells)});
  }
  return plot.y_axis + "\n" + page_table(heads, 1, rows);
}

/// The numbers first, then what they are: a text that may go on below.
std::string compared_text(const Comparison& one) {
  const auto difference = one.difference();
  const std::string numbers =
      fmt::format("{:>11} {:>11} {:>8}", number(one.ours), one.printed ? number(*one.paper()) : "-",
                  difference ? fmt::format("{:+.1f}%", 100 * *difference) : "-");
  std::string what = one.what;
  if (!place_of(one).empty()) what += fmt::format(" ({})", place_of(one));
  std::string text = folded(fmt::format("{}  {}\n", numbers, what), numbers.size() + before_text);
  if (!one.why.empty())
    text += folded(fmt::format("{:>{}}why: {}\n", "", numbers.size() + before_text, one.why),
                   numbers.size() + before_text);
  return text;
}

}  // namespace

std::string list_text() {
  constexpr std::size_t names = 24;
  std::string text;
  for (const FigureEntry& entry : figures())
    text += folded(fmt::format("{:<{}}{}\n", entry.name, names, entry.summary), names);
  return text;
}

Json list_json() {
  Json list = Json::array();
  for (const FigureEntry& entry : figures())
    list.push_back({{"name", entry.name}, {"summary", entry.summary}});
  return {{"figures", list}};
}

std::string to_text(const FigureEntry& entry, const Figure& figure) {
  constexpr std::size_t indent = 2;
  std::string text = folded(fmt::format("# {}: {}\n", entry.name, entry.summary), indent);
  text += fmt::format("\n{:>11} {:>11} {:>8}  what (printed in)\n", "ours", "paper", "differs");
  for (const Comparison& one : figure.comparisons) text += compared_text(one);
  text += "\n" + points_text(figure.plot);
  for (const std::string& note : figure.notes) text += "\n" + folded(note + "\n", 0);
  return text;
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
