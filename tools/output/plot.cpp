#include "tools/output/plot.hpp"

#include "tools/output/gnuplot.hpp"
#include "tools/output/text_output.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

constexpr double longest_number = 1e5;  // that fits between two ticks

double greatest_x(const Plot& plot) {
  double greatest = 0;
  for (const Curve& curve : plot.curves)
    for (const auto& [x, y] : curve.points) greatest = std::max(greatest, x);
  return greatest;
}

// Filled marks of different forms, and Tol's bright colours, which the colour-blind tell apart.
constexpr std::array marks = {7, 5, 9, 13, 11, 15};
constexpr std::array<std::string_view, 6> palette = {"#4477aa", "#ee6677", "#228833",
                                                     "#ccbb44", "#66ccee", "#aa3377"};
constexpr std::string_view points_style = "with points pt 2 ps 1.5 lw 2 lc rgb 'black'";

/// Where curves coincide, those below are seen beside and between the dashes of the upper ones.
std::string line_style(std::size_t number, std::size_t curves) {
  const std::size_t above = curves - 1 - number;
  return fmt::format("with linespoints lw {} dt {} pt {} ps 0.7 lc rgb '{}'",
                     2 + static_cast<double>(above), number % 2 + 1, marks[number % marks.size()],
                     palette[number % palette.size()]);
}

/// How near each curve comes to the best, as a mean over all x: 1 is the best everywhere. Where a
/// curve has no point, it is nowhere near.
std::vector<double> nearness(const Plot& plot, bool higher) {
  std::map<double, double> best;
  for (const Curve& curve : plot.curves) {
    for (const auto& [x, y] : curve.points) {
      double& at = best.try_emplace(x, y).first->second;
      at = higher ? std::max(at, y) : std::min(at, y);
    }
  }
  std::vector<double> result;
  for (const Curve& curve : plot.curves) {
    double sum = 0;
    for (const auto& [x, y] : curve.points) sum += higher ? y / best.at(x) : best.at(x) / y;
    result.push_back(sum / static_cast<double>(best.size()));
  }
  return result;
}

}  // namespace

void keep_best(Plot& plot, std::size_t most, bool higher) {
  if (plot.curves.size() <= most) return;
  std::vector<double> sorted = nearness(plot, higher);
  const std::vector<double> of_curve = sorted;
  std::ranges::sort(sorted, std::ranges::greater());
  plot.title += fmt::format(" (the best {} of {})", most, plot.curves.size());
  std::vector<Curve> kept;
  for (std::size_t curve = 0; curve < of_curve.size() && kept.size() < most; ++curve) {
    if (of_curve[curve] >= sorted[most - 1]) kept.push_back(std::move(plot.curves[curve]));
  }
  plot.curves = std::move(kept);
}

std::string gnuplot_commands(const Plot& plot) {
  std::string commands = fmt::format(
      "set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n"
      "set key below Left reverse noenhanced height 1\nset grid\n",
      in_gnuplot_quotes(plot.title), in_gnuplot_quotes(plot.x_axis),
      in_gnuplot_quotes(plot.y_axis));
  if (plot.logarithmic_x)
    commands += fmt::format("set logscale x 2\nset format x '{}'\n",
                            greatest_x(plot) < longest_number ? "%.0f" : "2^{%L}");
  if (plot.logarithmic_y) commands += "set logscale y\nset format y '10^{%L}'\n";
  std::vector<std::string> drawn;
  for (const Curve& curve : plot.curves) {
    std::string points;
    for (const auto& [x, y] : curve.points)
      if (!plot.logarithmic_y || y > 0) points += fmt::format("{} {}\n", x, y);
    if (points.empty()) continue;
    const std::string name = fmt::format("$curve{}", drawn.size());
    commands += fmt::format("{} << END\n{}END\n", name, points);
    drawn.push_back(fmt::format("{} {} title {}", name,
                                curve.points_only ? std::string(points_style)
                                                  : line_style(drawn.size(), plot.curves.size()),
                                in_gnuplot_quotes(curve.name)));
  }
  return commands + fmt::format("plot {}\n", fmt::join(drawn, ", "));
}

void write_svg(const std::string& path, const Plot& plot) {
  require_gnuplot();
  write_text_file("--svg", path, plot_svg(plot.title, gnuplot_commands(plot), ""));
}

}  // namespace cuboid::detail::tools
