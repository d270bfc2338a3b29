#include "tools/experiment/experiment_output.hpp"

#include "base/page_text.hpp"
#include "base/statistics.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

/// A cost's name and unit in tables.
struct ShownColumn {
  const char* name;
  std::optional<double> Costs::*member;
  double unit;
};

constexpr double milli = 1e3, mega = 1e-6;

/// The columns of a figure's table. The files have all costs.
std::vector<ShownColumn> columns_of(ReportedQuantity quantity) {
  constexpr ShownColumn time{"ms", &Costs::seconds, milli};
  constexpr ShownColumn compute{"compute", &Costs::compute, milli};
  constexpr ShownColumn hidden{"hidden", &Costs::exchange_hidden, milli};
  constexpr ShownColumn shown{"shown", &Costs::exchange_shown, milli};
  constexpr ShownColumn idle{"idle", &Costs::idle, milli};
  constexpr ShownColumn received{"MB recv", &Costs::bytes_received_max, mega};
  constexpr ShownColumn rate{"GFLOP/s", &Costs::gflops, 1};
  constexpr ShownColumn peak{"% peak", &Costs::percent_of_peak, 1};
  constexpr ShownColumn bandwidth{"MB/s", &Costs::bandwidth, mega};
  constexpr ShownColumn of_mpi{"MPI MB/s", &Costs::mpi_bandwidth, mega};
  switch (quantity) {
    case ReportedQuantity::seconds: return {time};
    case ReportedQuantity::exchange: return {time, hidden, shown};
    case ReportedQuantity::percent_of_peak: return {time, peak};
    case ReportedQuantity::gflops: return {time, rate};
    case ReportedQuantity::volume: return {time, received};
    case ReportedQuantity::split: return {time, compute, hidden, shown, idle, received};
    case ReportedQuantity::distribution: return {peak};
    case ReportedQuantity::bandwidth: return {time, bandwidth, of_mpi};
  }
  return {time};
}

/// A value of a cell: measured and predicted, or only one of them.
struct Cell {
  std::optional<double> measured;
  std::optional<double> modelled;
};

std::string text_of(const std::optional<double>& value) {
  constexpr double four_digits = 9999.5;
  if (!value) return "-";
  return *value < four_digits ? fmt::format("{:.4g}", *value) : fmt::format("{:.0f}", *value);
}

/// The texts of a column's cells. If some are measured, predictions are in brackets, which are
/// aligned.
std::vector<std::string> texts_of(const std::vector<Cell>& cells) {
  const bool measured =
      std::ranges::any_of(cells, [](const Cell& one) { return one.measured.has_value(); });
  const bool modelled =
      std::ranges::any_of(cells, [](const Cell& one) { return one.modelled.has_value(); });
  const auto bracketed = [](const Cell& one) { return "(" + text_of(one.modelled) + ")"; };
  std::size_t widest = 0;
  for (const Cell& one : cells) widest = std::max(widest, bracketed(one).size());
  std::vector<std::string> texts;
  for (const Cell& one : cells) {
    texts.push_back(text_of(measured ? one.measured : one.modelled));
    if (measured && modelled) texts.back() += fmt::format(" {:>{}}", bracketed(one), widest);
  }
  return texts;
}

bool has_value(const Cell& cell) {
  return cell.measured || cell.modelled;
}

std::optional<double> in_unit(const std::optional<double>& value, double unit) {
  return value ? std::optional(*value * unit) : std::nullopt;
}

Cell cell_of(const Row& row, const ShownColumn& column) {
  return {in_unit(row.measured.*column.member, column.unit),
          in_unit(row.modelled.*column.member, column.unit)};
}

std::string size_text(const Case& one) {
  if (one.bytes > 0) return fmt::format("{} B", one.bytes);
  return fmt::format("{}x{}x{}", one.extents.m, one.extents.n, one.extents.k);
}

/// A text in quotes for CSV, since it may contain commas.
std::string in_csv_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

Json costs_json(const Costs& costs) {
  Json object;
  for (const CostColumn& column : cost_columns) {
    const auto& value = costs.*column.member;
    object[std::string(column.name)] = value ? Json(*value) : Json(nullptr);
  }
  return object;
}

/// A line for each of the first reasons why runs failed, and the number of further reasons.
std::string not_run_text(const std::vector<Row>& rows) {
  constexpr std::size_t most_reasons = 5, indent = 2;
  std::string text;
  std::set<std::string> reasons;
  for (const Row& row : rows) {
    if (row.error.empty() || !reasons.insert(row.error).second) continue;
    if (reasons.size() <= most_reasons)
      text += folded(fmt::format("not run: {}: {}\n", row.command, row.error), indent);
  }
  if (reasons.size() > most_reasons) {
    text += fmt::format("not run for {} more reasons: see the column `error` of the CSV file\n",
                        reasons.size() - most_reasons);
  }
  return text;
}

/// The runs that succeeded. A curve's run that stands for several points, because it does not
/// depend on what is swept, is there once.
std::vector<Row> different_runs(const std::vector<Row>& rows) {
  std::vector<Row> different;
  std::set<std::tuple<std::string, std::string, std::string>> runs;
  for (const Row& row : rows)
    if (row.error.empty() && runs.insert({row.one.panel, row.one.variant, row.command}).second)
      different.push_back(row);
  return different;
}

/// What the numbers of a table are.
std::string legend(ReportedQuantity quantity, const std::vector<Row>& rows) {
  const auto any = [&](Costs Row::*costs) {
    return std::ranges::any_of(rows,
                               [&](const Row& row) { return (row.*costs).seconds.has_value(); });
  };
  std::string text;
  if (any(&Row::modelled)) text = any(&Row::measured) ? "; predictions in brackets" : "; predicted";
  if (quantity == ReportedQuantity::distribution) return text;
  return text + (text.empty() ? "; times in ms" : ", times in ms");
}

std::string runs_table(const Experiment& experiment, const std::vector<Row>& rows) {
  const bool groups = experiment.sweep == Sweep::groups;
  std::vector<std::string> heads{"", "ranks", "size"};
  if (groups) heads.emplace_back("groups");
  const std::size_t labels = heads.size();
  std::vector<PageRow> lines;
  for (const Row& row : rows) {
    lines.push_back(
        {row.one.panel, {row.one.variant, std::to_string(row.one.ranks), size_text(row.one)}});
    if (groups) lines.back().cells.push_back(fmt::format("{}", row.one.x));
  }
  for (const ShownColumn& column : columns_of(experiment.quantity)) {
    std::vector<Cell> cells;
    for (const Row& row : rows) cells.push_back(cell_of(row, column));
    if (std::ranges::none_of(cells, has_value)) continue;
    heads.emplace_back(column.name);
    const auto texts = texts_of(cells);
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].cells.push_back(texts[i]);
  }
  return heads.size() > labels ? page_table(heads, labels, lines) : "";
}

/// A line for each curve: the least, the median and the largest percentage of peak of its runs.
std::string distribution_table(const std::vector<Row>& rows) {
  std::vector<PageRow> lines;
  std::vector<std::vector<Cell>> columns(3);
  for (auto row = rows.begin(); row != rows.end();) {
    const auto end = std::find_if(row, rows.end(), [&](const Row& one) {
      return one.one.panel != row->one.panel || one.one.variant != row->one.variant;
    });
    const auto value = [&](Costs Row::*costs, const auto& of) -> std::optional<double> {
      std::vector<double> values;
      for (auto one = row; one != end; ++one)
        if (const auto percent = ((*one).*costs).percent_of_peak) values.push_back(*percent);
      return values.empty() ? std::nullopt : std::optional<double>(of(values));
    };
    const auto add = [&](std::vector<Cell>& column, const auto& of) {
      column.push_back({value(&Row::measured, of), value(&Row::modelled, of)});
    };
    add(columns[0], [](const auto& values) { return std::ranges::min(values); });
    add(columns[1], [](const auto& values) { return median(values); });
    add(columns[2], [](const auto& values) { return std::ranges::max(values); });
    lines.push_back({row->one.panel, {row->one.variant, std::to_string(end - row)}});
    row = end;
  }
  for (const std::vector<Cell>& cells : columns) {
    const auto texts = texts_of(cells);
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].cells.push_back(texts[i]);
  }
  const std::vector<std::string> heads{"% of peak", "runs", "least", "median", "most"};
  return lines.empty() ? "" : page_table(heads, 2, lines);
}

}  // namespace

std::string experiments_text() {
  constexpr std::size_t summaries = 34;
  std::string text;
  std::string_view paper;
  for (const Experiment& one : experiments()) {
    const std::size_t comma = one.source.rfind(", ");
    if (one.source.substr(0, comma) != paper) {
      paper = one.source.substr(0, comma);
      text += fmt::format("{}\n", paper);
    }
    text += folded(
        fmt::format("  {:<18}{:<14}{}\n", one.name, one.source.substr(comma + 2), one.summary),
        summaries);
  }
  return text;
}

Json experiments_json() {
  Json list = Json::array();
  for (const Experiment& one : experiments())
    list.push_back({{"name", one.name}, {"source", one.source}, {"summary", one.summary}});
  return {{"experiments", list}};
}

std::string to_text(const Experiment& experiment, const std::vector<Row>& rows) {
  constexpr std::size_t indent = 2;
  const std::string text =
      folded(fmt::format("# {}: {} ({}){}\n", experiment.name, experiment.summary,
                         experiment.source, legend(experiment.quantity, rows)),
             indent);
  const std::vector<Row> ran = different_runs(rows);
  const std::string table = experiment.quantity == ReportedQuantity::distribution
                                ? distribution_table(ran)
                                : runs_table(experiment, ran);
  return text + table + not_run_text(rows);
}

Json to_json(const Experiment& experiment, const std::vector<Row>& rows) {
  Json object = {{"name", experiment.name},
                 {"source", experiment.source},
                 {"summary", experiment.summary},
                 {"rows", Json::array()}};
  for (const Row& row : rows) {
    const Case& one = row.one;
    object["rows"].push_back({{"variant", one.variant},
                              {"panel", one.panel},
                              {"ranks", one.ranks},
                              {"m", one.extents.m},
                              {"n", one.extents.n},
                              {"k", one.extents.k},
                              {"bytes", one.bytes},
                              {"x", one.x},
                              {"measured", costs_json(row.measured)},
                              {"modelled", costs_json(row.modelled)},
                              {"command", row.command},
                              {"error", row.error.empty() ? Json(nullptr) : Json(row.error)}});
  }
  return object;
}

std::string to_csv(const Experiment& experiment, const std::vector<Row>& rows) {
  std::string text = "experiment,variant,panel,ranks,m,n,k,bytes,x";
  for (const char* prefix : {"", "modelled_"})
    for (const CostColumn& column : cost_columns) text += fmt::format(",{}{}", prefix, column.name);
  text += ",command,error\n";
  for (const Row& row : rows) {
    const Case& one = row.one;
    text += fmt::format("{},{},{},{},{},{},{},{},{:.8g}", experiment.name,
                        in_csv_quotes(one.variant), in_csv_quotes(one.panel), one.ranks,
                        one.extents.m, one.extents.n, one.extents.k, one.bytes, one.x);
    for (const Costs* costs : {&row.measured, &row.modelled}) {
      for (const CostColumn& column : cost_columns) {
        const auto& value = costs->*column.member;
        text += value ? fmt::format(",{:.8g}", *value) : ",";
      }
    }
    text += fmt::format(",{},{}\n", in_csv_quotes(row.command), in_csv_quotes(row.error));
  }
  return text;
}

}  // namespace cuboid::detail::tools
