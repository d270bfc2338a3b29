#include "tools/experiment/experiment_output.hpp"

#include "tools/output/page_text.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

/// A cost's name and unit in tables.
struct ShownColumn {
  const char* name;
  std::optional<double> Costs::*member;
  double unit;
  bool modelled;  ///< the prediction is shown beside it
};

constexpr double milli = 1e3, mega = 1e-6;
constexpr std::array shown_columns = {
    ShownColumn{"ms", &Costs::seconds, milli, true},
    ShownColumn{"compute", &Costs::compute, milli, true},
    ShownColumn{"hidden", &Costs::exchange_hidden, milli, true},
    ShownColumn{"shown", &Costs::exchange_shown, milli, true},
    ShownColumn{"idle", &Costs::idle, milli, true},
    ShownColumn{"MB recv", &Costs::bytes_received_max, mega, true},
    ShownColumn{"GFLOP/s", &Costs::gflops, 1, false},
    ShownColumn{"% peak", &Costs::percent_of_peak, 1, true},
    ShownColumn{"MB/s", &Costs::bandwidth, mega, true},
    ShownColumn{"MPI MB/s", &Costs::mpi_bandwidth, mega, false}};

bool known(const std::vector<Row>& rows, const ShownColumn& column) {
  for (const Row& row : rows)
    if (row.measured.*column.member || row.modelled.*column.member) return true;
  return false;
}

std::string text_of(const std::optional<double>& value, double unit) {
  return value ? fmt::format("{:.4g}", *value * unit) : "-";
}

/// The cells of a column, for the runs that succeeded. The brackets of predictions are aligned.
std::vector<std::string> cells_of(const std::vector<Row>& rows, const ShownColumn& column) {
  const auto predicted = [&](const Row& row) {
    return "(" + text_of(row.modelled.*column.member, column.unit) + ")";
  };
  std::size_t widest = 0;
  for (const Row& row : rows)
    if (row.error.empty()) widest = std::max(widest, predicted(row).size());
  std::vector<std::string> cells;
  for (const Row& row : rows) {
    if (!row.error.empty()) continue;
    cells.push_back(text_of(row.measured.*column.member, column.unit));
    if (column.modelled) cells.back() += fmt::format(" {:>{}}", predicted(row), widest);
  }
  return cells;
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
  constexpr std::size_t most_reasons = 5;
  std::string text;
  std::set<std::string> reasons;
  for (const Row& row : rows) {
    if (row.error.empty() || !reasons.insert(row.error).second) continue;
    if (reasons.size() <= most_reasons)
      text += fmt::format("not run: {}: {}\n", row.command, row.error);
  }
  if (reasons.size() > most_reasons) {
    text += fmt::format("not run for {} more reasons: see the column `error` of the CSV file\n",
                        reasons.size() - most_reasons);
  }
  return text;
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
  std::string text = folded(fmt::format("# {}: {} ({}); predictions in brackets, times in ms\n",
                                        experiment.name, experiment.summary, experiment.source),
                            indent);
  const bool groups = experiment.sweep == Sweep::groups;
  std::vector<std::string> heads{"", "ranks", "size"};
  if (groups) heads.emplace_back("groups");
  const std::size_t labels = heads.size();
  std::vector<PageRow> lines;
  for (const Row& row : rows) {
    if (!row.error.empty()) continue;
    lines.push_back(
        {row.one.panel, {row.one.variant, std::to_string(row.one.ranks), size_text(row.one)}});
    if (groups) lines.back().cells.push_back(fmt::format("{}", row.one.x));
  }
  for (const ShownColumn& column : shown_columns) {
    if (!known(rows, column)) continue;
    heads.emplace_back(column.name);
    const auto cells = cells_of(rows, column);
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].cells.push_back(cells[i]);
  }
  if (heads.size() > labels && !lines.empty()) text += page_table(heads, labels, lines);
  return text + not_run_text(rows);
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
