#include "tools/experiment/experiment_plot.hpp"

#include "tools/output/gnuplot.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

/// The quantity on the vertical axis: a cost in a unit.
struct ShownQuantity {
  const char* label;
  std::optional<double> (*of)(const Costs&);
  bool logarithmic;
};

template <std::optional<double> Costs::*member>
std::optional<double> value(const Costs& costs) {
  return costs.*member;
}

constexpr double in_mega = 1e-6;

template <std::optional<double> Costs::*member>
std::optional<double> mega_value(const Costs& costs) {
  return costs.*member ? std::optional(*(costs.*member) * in_mega) : std::nullopt;
}

std::optional<double> exchange(const Costs& costs) {
  if (!costs.exchange_hidden || !costs.exchange_shown) return std::nullopt;
  return *costs.exchange_hidden + *costs.exchange_shown;
}

ShownQuantity shown(ReportedQuantity quantity) {
  switch (quantity) {
    case ReportedQuantity::seconds: return {"seconds", value<&Costs::seconds>, true};
    case ReportedQuantity::exchange: return {"seconds of exchange", exchange, false};
    case ReportedQuantity::percent_of_peak:
    case ReportedQuantity::distribution:
      return {"% of peak", value<&Costs::percent_of_peak>, false};
    case ReportedQuantity::gflops: return {"GFLOP/s", value<&Costs::gflops>, false};
    case ReportedQuantity::volume:
      return {"MB received by the busiest rank", mega_value<&Costs::bytes_received_max>, true};
    case ReportedQuantity::split:
      return {"% of the slowest algorithm", value<&Costs::seconds>, false};
    case ReportedQuantity::bandwidth: return {"MB/s", mega_value<&Costs::bandwidth>, true};
  }
  return {"seconds", value<&Costs::seconds>, true};
}

const char* swept(const Experiment& experiment) {
  switch (experiment.sweep) {
    case Sweep::ranks:
    case Sweep::ends: return "ranks";
    case Sweep::size:
      return experiment.shapes.front() == ProductShape::molecules ? "molecules" : "n";
    case Sweep::groups: return "groups";
    case Sweep::bytes: return "bytes";
  }
  return "ranks";
}

std::string x_label(const Experiment& experiment) {
  switch (experiment.quantity) {
    case ReportedQuantity::split: return fmt::format("algorithm, {}", swept(experiment));
    case ReportedQuantity::distribution: return "algorithm";
    default: return swept(experiment);
  }
}

using Panel = std::vector<const Row*>;

std::vector<std::pair<std::string, Panel>> panels(const std::vector<Row>& rows) {
  std::vector<std::pair<std::string, Panel>> all;
  for (const Row& row : rows) {
    if (!row.error.empty()) continue;
    if (all.empty() || all.back().first != row.one.panel) all.push_back({row.one.panel, {}});
    all.back().second.push_back(&row);
  }
  return all;
}

std::vector<std::string> variants(const Panel& panel) {
  std::vector<std::string> names;
  for (const Row* const row : panel)
    if (std::ranges::find(names, row->one.variant) == names.end())
      names.push_back(row->one.variant);
  return names;
}

/// Collects data blocks and the commands that plot them.
class Drawing {
 public:
  /// @param how  gnuplot's options that follow the data.
  void add(const std::string& data, const std::string& how) {
    if (data.empty()) return;
    blocks_ += fmt::format("$data{} << END\n{}END\n", number_, data);
    drawn_.push_back(fmt::format("$data{} {}", number_++, how));
  }
  /// The data blocks and one plot command; empty without data.
  std::string commands() const {
    return drawn_.empty() ? "" : fmt::format("{}plot {}\n", blocks_, fmt::join(drawn_, ", "));
  }

 private:
  int number_ = 0;
  std::string blocks_;
  std::vector<std::string> drawn_;
};

std::string curves(const Experiment& experiment, const Panel& panel) {
  const ShownQuantity quantity = shown(experiment.quantity);
  Drawing drawing;
  int colour = 0;
  for (const std::string& variant : variants(panel)) {
    ++colour;
    std::string measured, modelled, by_mpi;
    const auto point = [&](const Row& row, std::optional<double> y) {
      return y && (!quantity.logarithmic || *y > 0) ? fmt::format("{} {}\n", row.one.x, *y) : "";
    };
    for (const Row* const row : panel) {
      if (row->one.variant != variant) continue;
      measured += point(*row, quantity.of(row->measured));
      modelled += point(*row, quantity.of(row->modelled));
      by_mpi += point(*row, mega_value<&Costs::mpi_bandwidth>(row->measured));
    }
    drawing.add(measured, fmt::format("with linespoints lt {} lw 2 pt 7 ps 0.5 title {}", colour,
                                      in_gnuplot_quotes(variant)));
    drawing.add(modelled,
                fmt::format("with linespoints lt {} dt 2 pt 6 ps 0.4 {}", colour,
                            measured.empty() ? "title " + in_gnuplot_quotes(variant) : "notitle"));
    drawing.add(by_mpi, fmt::format("with linespoints lt {} dt 3 pt 4 ps 0.6 title {}", colour,
                                    in_gnuplot_quotes(variant + ", MPI")));
  }
  std::string commands = quantity.logarithmic ? "set logscale y\n" : "set yrange [0:*]\n";
  if (experiment.sweep != Sweep::size) commands += "set logscale x 2\n";
  if (experiment.sweep == Sweep::bytes) commands += "set format x '2^{%L}'\n";
  return drawing.commands().empty() ? "" : commands + drawing.commands();
}

/// The commands for names below the horizontal axis, at 0, 1, …. Names are slanted, because they
/// are long.
std::string names_below(const std::vector<std::string>& names) {
  std::vector<std::string> tics;
  for (std::size_t i = 0; i < names.size(); ++i)
    tics.push_back(fmt::format("{} {}", in_gnuplot_quotes(names[i]), i));
  return fmt::format(
      "unset logscale x\nset xrange [-0.6:{}]\nset lmargin 12\n"
      "set xtics rotate by 40 right noenhanced ({})\n",
      static_cast<double>(names.size()) - 0.4, fmt::join(tics, ", "));
}

/// A pair of bars for each run; bars of runs of the same size stand side by side. Bars show
/// cumulated parts: lower parts are drawn over higher ones.
std::string bars(Panel panel) {
  std::ranges::stable_sort(panel, {}, [](const Row* row) { return row->one.x; });
  constexpr double half = 0.2;
  const auto seconds = [](const Costs& costs) { return costs.seconds.value_or(0); };
  std::map<double, double> slowest;
  for (const Row* const row : panel)
    slowest[row->one.x] =
        std::max({slowest[row->one.x], seconds(row->measured), seconds(row->modelled)});
  std::string idle, shown, compute, hidden;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < panel.size(); ++i) {
    const Row& row = *panel[i];
    const auto add = [&](const Costs& costs, double x) {
      if (!costs.compute) return;
      constexpr double all = 100;  // percent
      const double unit = all / slowest[row.one.x];
      const double computed = *costs.compute;
      const double waited = costs.exchange_shown.value_or(0);
      idle += fmt::format("{} {}\n", x, unit * (computed + waited + costs.idle.value_or(0)));
      shown += fmt::format("{} {}\n", x, unit * (computed + waited));
      compute += fmt::format("{} {}\n", x, unit * computed);
      hidden += fmt::format("{} {}\n", x, unit * costs.exchange_hidden.value_or(0));
    };
    const auto at = static_cast<double>(i);
    add(row.measured, at - half);
    add(row.modelled, at + half);
    names.push_back(fmt::format("{}, {:.5g}", row.one.variant, row.one.x));
  }
  Drawing drawing;
  drawing.add(idle, "with boxes lc rgb '#c8c8c8' title 'idle'");
  drawing.add(shown, "with boxes lc rgb '#d95f02' title 'exchange shown'");
  drawing.add(compute, "with boxes lc rgb '#1b9e77' title 'compute'");
  drawing.add(hidden, "with boxes fs pattern 4 lc rgb '#7a3500' title 'exchange hidden'");
  return "set boxwidth 0.36\nset style fill solid 1\nset yrange [0:100]\n" + names_below(names) +
         drawing.commands();
}

std::string boxes(const Experiment& experiment, const Panel& panel) {
  const ShownQuantity quantity = shown(experiment.quantity);
  Drawing drawing;
  int number = 0;
  const std::vector<std::string> names = variants(panel);
  for (const std::string& variant : names) {
    std::string data;
    for (const Row* const row : panel) {
      const auto y = quantity.of(row->measured.seconds ? row->measured : row->modelled);
      if (row->one.variant == variant && y) data += fmt::format("{}\n", *y);
    }
    drawing.add(data, fmt::format("using ({}):1 with boxplot lt {} notitle", number, number + 1));
    ++number;
  }
  return "set style boxplot nooutliers\nset boxwidth 0.5\nset yrange [0:100]\n" +
         names_below(names) + drawing.commands();
}

std::string drawn(const Experiment& experiment, const Panel& panel) {
  switch (experiment.quantity) {
    case ReportedQuantity::split: return bars(panel);
    case ReportedQuantity::distribution: return boxes(experiment, panel);
    default: return curves(experiment, panel);
  }
}

}  // namespace

int panels_of(const std::vector<Row>& rows) {
  return static_cast<int>(panels(rows).size());
}

std::string gnuplot_commands(const Experiment& experiment, const std::vector<Row>& rows) {
  const char* const legend =
      experiment.quantity == ReportedQuantity::split          ? "left measured, right predicted"
      : experiment.quantity == ReportedQuantity::distribution ? "quartiles, least and most"
                                                              : "dashed: predicted";
  std::string commands;
  for (const auto& [title, panel] : panels(rows)) {
    const std::string plot = drawn(experiment, panel);
    if (plot.empty()) continue;
    commands +=
        fmt::format("reset\nset grid\nset key below noenhanced height 1\nset title {} noenhanced\n",
                    in_gnuplot_quotes(title));
    commands += fmt::format("set ylabel '{}'\n", shown(experiment.quantity).label);
    commands += fmt::format("set xlabel '{}' offset 0,0.5\n", x_label(experiment));
    commands += plot;
  }
  if (commands.empty()) return commands;
  const std::string title = fmt::format("{}: {} ({})", experiment.name, experiment.summary, legend);
  return fmt::format("set multiplot layout 1,{} title {} noenhanced\n{}unset multiplot\n",
                     panels_of(rows), in_gnuplot_quotes(title), commands);
}

}  // namespace cuboid::detail::tools
