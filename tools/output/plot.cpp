#include "tools/output/plot.hpp"

#include "tools/output/gnuplot.hpp"
#include "tools/output/text_output.hpp"

#include <algorithm>
#include <cstddef>

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

}  // namespace

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
    // Where curves coincide, those below are seen beside and between the dashes of the upper ones.
    const std::size_t above = plot.curves.size() - 1 - drawn.size();
    drawn.push_back(fmt::format("{} with linespoints lw {} dt {} pt 7 ps 0.4 title {}", name,
                                2 + 1.5 * static_cast<double>(above), drawn.size() % 2 + 1,
                                in_gnuplot_quotes(curve.name)));
  }
  return commands + fmt::format("plot {}\n", fmt::join(drawn, ", "));
}

void write_svg(const std::string& path, const Plot& plot) {
  require_gnuplot();
  write_text_file("--svg", path, plot_svg(plot.title, gnuplot_commands(plot), ""));
}

}  // namespace cuboid::detail::tools
