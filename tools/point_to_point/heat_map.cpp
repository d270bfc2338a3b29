#include "tools/point_to_point/heat_map.hpp"

#include "tools/output/gnuplot.hpp"
#include "tools/output/text_output.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

std::string block(const AllPairsResult& result, const PairMatrix& matrix, double scale) {
  std::string text;
  for (int from = 0; from < result.ranks; ++from) {
    for (int to = 0; to < result.ranks; ++to) {
      text += from == to ? "NaN " : fmt::format("{:.6g} ", matrix[result.at(from, to)] * scale);
    }
    text += "\n";
  }
  return text + "\n\n";
}

/// @param most  the upper end of the scale. The scale begins at 0, so that noise between equal
/// pairs does not change their colours visibly.
std::string panel(int index, const std::string& title, const std::string& palette, double most) {
  return fmt::format(
      "set title '{}'\nset palette defined ({})\nset cbrange [0:{:.6g}]\n"
      "plot $data index {} matrix with image pixels notitle\n",
      title, palette, most, index);
}

}  // namespace

HeatMap heat_map(const AllPairsResult& result) {
  // Only a few labels, so that they do not overlap.
  const int step = std::max(1, result.ranks / 8);
  const std::string slow_is_high = "0 '#fff7ec', 0.5 '#fc8d59', 1 '#7f0000'";
  const std::string slow_is_low = "0 '#7f0000', 0.5 '#fc8d59', 1 '#fff7ec'";
  HeatMap map;
  const int panels = result.mpi ? 2 : 1;
  map.commands = fmt::format(
      "set terminal svg size 1060,{} font 'sans-serif,12' background 'white'\n"
      "set multiplot layout {},2\n"
      "set datafile missing 'NaN'\n"
      "set size square\nset border 0\nset tics out nomirror scale 0.4\n"
      "set xrange [-0.5:{}.5]\nset yrange [{}.5:-0.5]\n"
      "set xtics 0,{}\nset ytics 0,{}\n"
      "set xlabel 'to rank'\nset ylabel 'from rank'\n",
      500 * panels, panels, result.ranks - 1, result.ranks - 1, step, step);
  const std::string bandwidth =
      fmt::format("bandwidth of {} bytes, MB/s", result.options.run.bytes.back());
  const auto add = [&](const std::string& name, const PairTable& table, int index) {
    // Typical pairs are in the bright part of the scale; values beyond its ends have the colour of
    // the end.
    map.commands += panel(index, name + "latency of 1 byte, µs", slow_is_high,
                          3e6 * median_of_pairs(table.latency, result.ranks));
    map.commands += panel(index + 1, name + bandwidth, slow_is_low,
                          1.25e-6 * median_of_pairs(table.bandwidth, result.ranks));
    map.data += block(result, table.latency, 1e6) + block(result, table.bandwidth, 1e-6);
  };
  add(result.mpi ? "Cuboid: " : "", result.cuboid, 0);
  if (result.mpi) add("MPI: ", *result.mpi, 2);
  map.commands += "unset multiplot\n";
  return map;
}

void write_heat_map(const std::string& path, const AllPairsResult& result) {
  const HeatMap map = heat_map(result);
  write_text_file("--svg", path,
                  plot_svg("Latency and bandwidth of all pairs", map.commands, map.data));
}

}  // namespace cuboid::detail::tools
