#include "tools/validate/validation_report.hpp"

#include "base/page_text.hpp"
#include "base/xml_text.hpp"
#include "tools/command/stolen_time.hpp"
#include "tools/output/gnuplot.hpp"
#include "tools/provenance/provenance.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t worst_shown = 12;

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::vector<ValidationCase> worst_first(std::vector<ValidationCase> cases) {
  std::ranges::stable_sort(cases, std::ranges::greater(), &ValidationCase::error);
  return cases;
}

/// The data with one block of lines per operation, in the order of operations_of().
std::string data_by_operation(const ValidationReport& report) {
  std::string data;
  for (const std::string& operation : operations_of(report.cases)) {
    for (const ValidationCase& one : of_operation(report.cases, operation))
      data += fmt::format("{} {} {}\n", one.measured_seconds * 1e3, one.predicted_seconds * 1e3,
                          100 * (one.predicted_seconds / one.measured_seconds - 1));
    data += "\n\n";
  }
  return data;
}

/// A plot command: `first`, then every operation's `columns` as points.
std::string points(const ValidationReport& report, const std::string& columns,
                   const std::string& first) {
  std::string commands = "plot " + first;
  const auto operations = operations_of(report.cases);
  for (std::size_t number = 0; number < operations.size(); ++number)
    commands += fmt::format(", $data index {} using {} with points pt 7 ps 0.5 lc {} title '{}'",
                            number, columns, number + 1, operations[number]);
  std::ranges::replace(commands, '_', ' ');
  return commands + "\n";
}

std::string predicted_against_measured(const ValidationReport& report) {
  return plot_svg(
      "Predicted against measured",
      "set logscale xy\nset xlabel 'measured, ms'\nset ylabel 'predicted, ms'\nset key left top\n"
      "set grid\n" +
          points(report, "1:2", "x with lines lc 'gray' notitle"),
      data_by_operation(report));
}

std::string errors_over_time(const ValidationReport& report) {
  return plot_svg("Error over measured time",
                  "set logscale x\nset xlabel 'measured, ms'\nset ylabel 'error, %'\n"
                  "set key outside below\nset grid\n" +
                      points(report, "1:3", "0 with lines lc 'gray' notitle"),
                  data_by_operation(report));
}

std::string share_within(const ValidationReport& report) {
  std::vector<double> errors;
  for (const ValidationCase& one : report.cases) errors.push_back(one.error());
  std::ranges::sort(errors);
  std::string data;
  for (std::size_t i = 0; i < errors.size(); ++i)
    data += fmt::format("{} {}\n", 100 * errors[i],
                        100 * static_cast<double>(i + 1) / static_cast<double>(errors.size()));
  return plot_svg(
      "Share of predictions within an error",
      "set xlabel 'error at most, %'\nset ylabel 'predictions, %'\nset yrange [0:100]\nset grid\n"
      "plot $data using 1:2 with steps lw 2 notitle\n",
      data);
}

std::string html_row(const ValidationCase& one) {
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td>{}{}</td><td>{:.4g}</td><td>{:.4g}</td><td>{:+.1f} %</td>"
      "</tr>\n",
      one.operation, one.bytes, xml_text(one.algorithm), one.chosen ? " (auto)" : "",
      one.predicted_seconds * 1e3, one.measured_seconds * 1e3,
      100 * (one.predicted_seconds / one.measured_seconds - 1));
}

/// Remarks on cases that were left out or disturbed.
std::vector<std::string> notes_of(const ValidationReport& report) {
  std::vector<std::string> notes;
  if (report.interrupted)
    notes.emplace_back("Interrupted: some cases were not measured, others fewer times.");
  if (report.disturbed_visits > 0) {
    notes.push_back(fmt::format(
        "The hypervisor took more than {2:.0f} % of the cores' time during {0} of {1} "
        "measurements. These were repeated; {3} cases were never measured without disturbance.",
        report.disturbed_visits, report.visits, 100 * most_stolen,
        std::ranges::count_if(report.cases, &ValidationCase::disturbed)));
  }
  if (report.left_out > 0) {
    notes.push_back(fmt::format(
        "{} algorithms were not run because they were predicted to be far slower than the "
        "best.",
        report.left_out));
  }
  return notes;
}

/// "words sent over those of the model: lu 0.98 to 1.03, …"; empty: no case predicts words.
std::string words_line(const ValidationReport& report) {
  std::vector<std::string> ratios;
  for (const std::string& operation : operations_of(report.cases)) {
    if (const auto words = word_ratios_of(of_operation(report.cases, operation)))
      ratios.push_back(fmt::format("{} {:.3f} to {:.3f}", operation, words->least, words->most));
  }
  if (ratios.empty()) return {};
  return fmt::format("words sent over those of the model: {}\n", fmt::join(ratios, ", "));
}

constexpr const char* case_heads =
    "<tr><th>operation</th><th>bytes</th><th>algorithm</th><th>predicted, ms</th>"
    "<th>measured, ms</th><th>error</th></tr>\n";

Json summary_json(std::span<const ValidationCase> cases) {
  const ErrorSummary errors = errors_of(cases);
  const RegretSummary regret = regret_of(cases);
  const auto words = word_ratios_of(cases);
  return {{"median_error", errors.median},
          {"p95_error", errors.p95},
          {"worst_error", errors.worst},
          {"selection_regret_median", regret.median},
          {"selection_regret_max", regret.max},
          {"words_ratio_least", words ? Json(words->least) : Json(nullptr)},
          {"words_ratio_most", words ? Json(words->most) : Json(nullptr)}};
}

/// A number of words, or null.
Json words_json(const ValidationCase& one, double ValidatedWords::*words) {
  return one.words ? Json((*one.words).*words) : Json(nullptr);
}

}  // namespace

Json to_json(const ValidationReport& report) {
  Json cases = Json::array();
  for (const ValidationCase& one : report.cases)
    cases.push_back({{"operation", one.operation},
                     {"bytes", one.bytes},
                     {"ranks", one.ranks},
                     {"shape", one.shape},
                     {"algorithm", one.algorithm},
                     {"chosen", one.chosen},
                     {"disturbed", one.disturbed},
                     {"predicted_seconds", one.predicted_seconds},
                     {"measured_seconds", one.measured_seconds},
                     {"predicted_words", words_json(one, &ValidatedWords::predicted)},
                     {"sent_words", words_json(one, &ValidatedWords::sent)}});
  Json json = {{"cases", std::move(cases)}};
  if (report.interrupted) json["interrupted"] = true;
  json.update(summary_json(report.cases));
  json["left_out"] = report.left_out;
  json["visits"] = report.visits;
  json["disturbed_visits"] = report.disturbed_visits;
  json["operations"] = Json::object();
  for (const std::string& operation : operations_of(report.cases))
    json["operations"][operation] = summary_json(of_operation(report.cases, operation));
  return json;
}

std::string to_csv(const ValidationReport& report) {
  std::string csv = report.interrupted ? "# interrupted\n" : "";
  csv +=
      "operation,bytes,ranks,shape,algorithm,chosen,disturbed,predicted_seconds,measured_seconds,"
      "error,predicted_words,sent_words\n";
  for (const ValidationCase& one : report.cases) {
    csv += fmt::format("{},{},{},\"{}\",\"{}\",{},{},{},{},{}", one.operation, one.bytes, one.ranks,
                       one.shape, one.algorithm, one.chosen ? 1 : 0, one.disturbed ? 1 : 0,
                       one.predicted_seconds, one.measured_seconds, one.error());
    csv += one.words ? fmt::format(",{},{}\n", one.words->predicted, one.words->sent) : ",,\n";
  }
  return csv;
}

std::string to_text(const ValidationReport& report) {
  std::string text =
      fmt::format("# {} ranks, {}: {} predictions compared with measurements{}\n", report.ranks,
                  report.shape, report.cases.size(), report.interrupted ? ", interrupted" : "");
  std::vector<PageRow> rows;
  const auto add = [&](const std::string& name, std::span<const ValidationCase> cases) {
    const ErrorSummary errors = errors_of(cases);
    const RegretSummary regret = regret_of(cases);
    rows.push_back(
        {.section = "",
         .cells = {name, std::to_string(errors.cases), percent(errors.median), percent(errors.p95),
                   percent(errors.worst), percent(regret.median), percent(regret.max)}});
  };
  for (const std::string& operation : operations_of(report.cases))
    add(operation, of_operation(report.cases, operation));
  add("all", report.cases);
  text += page_table({"", "cases", "median", "p95", "worst", "regret, median", "max"}, 1, rows);
  text += words_line(report);
  text += "largest errors:\n";
  const auto worst = worst_first(report.cases);
  for (std::size_t i = 0; i < std::min(worst_shown, worst.size()); ++i)
    text += fmt::format("  {} of {} bytes, {}: {:.4g} ms predicted, {:.4g} ms measured\n",
                        worst[i].operation, worst[i].bytes, worst[i].algorithm,
                        worst[i].predicted_seconds * 1e3, worst[i].measured_seconds * 1e3);
  for (const std::string& note : notes_of(report)) text += note + "\n";
  constexpr std::size_t indent = 4;
  return folded(text, indent);
}

std::string to_html(const ValidationReport& report, bool plots) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Cuboid: predicted "
      "and measured</title>\n<style>body{font-family:sans-serif;max-width:70em;margin:2em auto;"
      "padding:0 1em}table{border-collapse:collapse}td,th{padding:.15em .8em;text-align:right;"
      "border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}svg{max-width:"
      "100%;height:auto}pre{background:#f4f4f4;padding:1em;overflow:auto}</style></head><body>\n";
  page += fmt::format("<h1>Predicted and measured: {} ranks, {}{}</h1>\n", report.ranks,
                      xml_text(report.shape), report.interrupted ? ", interrupted" : "");
  page +=
      "<table><tr><th></th><th>cases</th><th>median error</th><th>p95</th><th>worst</th>"
      "<th>regret of selection, median</th><th>max</th></tr>\n";
  const auto row = [&](const std::string& name, std::span<const ValidationCase> cases) {
    const ErrorSummary errors = errors_of(cases);
    const RegretSummary regret = regret_of(cases);
    page += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        name, errors.cases, percent(errors.median), percent(errors.p95), percent(errors.worst),
        percent(regret.median), percent(regret.max));
  };
  for (const std::string& operation : operations_of(report.cases))
    row(operation, of_operation(report.cases, operation));
  row("all", report.cases);
  page +=
      "</table>\n<p>Error: |predicted − measured| / measured. Regret of selection: measured time "
      "of the chosen algorithm / measured time of the fastest − 1.</p>\n<p>" +
      words_line(report) + "</p>\n";
  if (plots) {
    page += "<h2>Predicted against measured</h2>\n" + predicted_against_measured(report);
    page += "<h2>Error over measured time</h2>\n" + errors_over_time(report);
    page += "<h2>Share of predictions within an error</h2>\n" + share_within(report);
  }
  page += fmt::format("<h2>Largest errors</h2>\n<table>{}", case_heads);
  const auto worst = worst_first(report.cases);
  for (std::size_t i = 0; i < std::min(worst_shown, worst.size()); ++i) page += html_row(worst[i]);
  page += "</table>\n<h2>Measured parameters</h2>\n<pre>" + xml_text(report.parameters) +
          fmt::format("</pre>\n<h2>All cases</h2>\n<table>{}", case_heads);
  for (const ValidationCase& one : report.cases) page += html_row(one);
  page += "</table>\n";
  for (const std::string& note : notes_of(report)) page += "<p>" + note + "</p>\n";
  page += "<footer><pre>" + xml_text(provenance_lines("")) + "</pre></footer>\n";
  return page + "</body></html>\n";
}

}  // namespace cuboid::detail::tools
