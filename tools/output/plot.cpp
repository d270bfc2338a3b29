#include "tools/output/plot.hpp"

#include "tools/output/gnuplot.hpp"
#include "tools/output/text_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

std::string gnuplot_commands(const Plot& plot) {
  std::string commands = fmt::format(
      "set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n"
      "set key below Left reverse noenhanced height 1\nset grid\n",
      in_gnuplot_quotes(plot.title), in_gnuplot_quotes(plot.x_axis),
      in_gnuplot_quotes(plot.y_axis));
  if (plot.logarithmic_x) commands += "set logscale x\nset format x '10^{%L}'\n";
  if (plot.logarithmic_y) commands += "set logscale y\nset format y '10^{%L}'\n";
  std::vector<std::string> drawn;
  for (const Curve& curve : plot.curves) {
    std::string points;
    for (const auto& [x, y] : curve.points)
      if (!plot.logarithmic_y || y > 0) points += fmt::format("{} {}\n", x, y);
    if (points.empty()) continue;
    const std::string name = fmt::format("$curve{}", drawn.size());
    commands += fmt::format("{} << END\n{}END\n", name, points);
    drawn.push_back(fmt::format("{} with linespoints lw 2 pt 7 ps 0.4 title {}", name,
                                in_gnuplot_quotes(curve.name)));
  }
  return commands + fmt::format("plot {}\n", fmt::join(drawn, ", "));
}

void write_svg(const std::string& path, const Plot& plot) {
  require_gnuplot();
  write_text_file("--svg", path, plot_svg(gnuplot_commands(plot), ""));
}

}  // namespace cuboid::detail::tools
