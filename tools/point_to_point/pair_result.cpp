#include "tools/point_to_point/pair_result.hpp"

#include "tools/measurement/osu_table.hpp"
#include "tools/measurement/percentiles.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

/// The members for one library's figures, all null if it was not measured.
void put_figures(Json& row, const std::string& prefix, const PairResult& result,
                 const PairRow& measured, const PairFigures* figures) {
  if (result.test->quantity == Quantity::overlap) {
    put_overlap(row, prefix.c_str(), figures ? &*figures->overlap : nullptr);
    return;
  }
  const auto put = [&](const char* name, double value) {
    row[prefix + name] = figures ? Json(value) : Json(nullptr);
  };
  const PairTimes times = figures ? *figures->times : PairTimes();
  put("seconds_mean", times.mean);
  put("seconds_median", times.median);
  put("seconds_min", times.min);
  put("seconds_max", times.max);
  if (result.test->quantity == Quantity::latency) return;
  put("bandwidth_bytes_per_second", result.bandwidth(measured, times.median));
  if (result.test->quantity == Quantity::message_rate)
    put("messages_per_second", result.messages_per_second(times.median));
}

std::vector<std::string> headings(Quantity quantity) {
  switch (quantity) {
    case Quantity::latency: return {"min us", "median us", "max us"};
    case Quantity::bandwidth: return {"MB/s", "median us"};
    case Quantity::message_rate: return {"MB/s", "messages/s", "median us"};
    case Quantity::overlap: return {"overall us", "work us", "alone us", "hidden %"};
  }
  return {};
}

std::vector<std::string> cells(const PairResult& result, const PairRow& row,
                               const PairFigures& figures) {
  const auto number = [](double value) { return fmt::format("{:.2f}", value); };
  if (figures.overlap) {
    const Overlap& overlap = *figures.overlap;
    return {number(overlap.overall * 1e6), number(overlap.compute * 1e6),
            number(overlap.pure * 1e6), fmt::format("{:.1f}", overlap.percent())};
  }
  const PairTimes& times = *figures.times;
  const std::string median = number(times.median * 1e6);
  const std::string rate = number(result.bandwidth(row, times.median) * 1e-6);
  switch (result.test->quantity) {
    case Quantity::latency: return {number(times.min * 1e6), median, number(times.max * 1e6)};
    case Quantity::message_rate:
      return {rate, fmt::format("{:.0f}", result.messages_per_second(times.median)), median};
    default: return {rate, median};
  }
}

OsuTable osu_table(const PairResult& result) {
  const PairMeasurement& test = *result.test;
  const bool known = *test.osu != 0;
  std::vector<std::string> head = {known ? osu_title(test.osu)
                                         : own_title(fmt::format("{} Test", test.name))};
  if (test.quantity == Quantity::message_rate)
    head.push_back(fmt::format("[ pairs: {} ] [ window size: {} ]", result.pairs, result.window));
  if (known && test.one_sided()) {
    head.emplace_back("Window creation: MPI_Win_allocate");
    head.emplace_back("Synchronization: MPI_Win_flush");
  }
  head.push_back(osu_datatype(Datatype::Kind::int8));
  std::vector<std::string> columns;
  switch (test.quantity) {
    case Quantity::latency:
      columns = {test.one_sided() ? "Latency (us)" : "Avg Latency(us)"};
      if (result.options.full)
        columns.insert(columns.end(), {"Min Latency(us)", "Max Latency(us)"});
      break;
    case Quantity::bandwidth: columns = {"Bandwidth (MB/s)"}; break;
    case Quantity::message_rate: columns = {"MB/s", "Messages/s"}; break;
    case Quantity::overlap: columns = osu_overlap_columns(result.options.full); break;
  }
  if (result.options.full && test.quantity != Quantity::overlap) columns.emplace_back("Iterations");
  if (result.options.validate) columns.emplace_back("Validation");
  for (std::string& column : osu_tail_columns(
           result.options.percentiles, test.quantity == Quantity::latency ? "Lat(us)" : "BW(MB/s)"))
    columns.push_back(std::move(column));
  return {std::move(head), std::move(columns)};
}

}  // namespace

bool PairResult::right() const {
  return std::ranges::all_of(rows, [](const PairRow& row) { return row.errors.value_or(0) == 0; });
}

double PairResult::messages_per_second(double seconds) const {
  return seconds > 0 ? static_cast<double>(window) * test->directions * pairs / seconds : 0;
}

double PairResult::bandwidth(const PairRow& row, double seconds) const {
  return static_cast<double>(row.bytes) * messages_per_second(seconds);
}

Json head_json(const PairResult& result) {
  return {{"measurement", result.test->name},
          {"ranks", result.ranks},
          {"transport", result.transport},
          {"pairs", result.pairs},
          {"window", result.window}};
}

Json json_of(const PairResult& result, const PairRow& row) {
  Json one = {{"bytes", row.bytes}, {"iterations", row.iterations}};
  put_figures(one, "", result, row, &row.cuboid);
  put_figures(one, "mpi_", result, row, row.mpi ? &*row.mpi : nullptr);
  one["errors"] = row.errors ? Json(*row.errors) : Json(nullptr);
  return one;
}

std::string head_text(const PairResult& result) {
  const PairMeasurement& test = *result.test;
  std::string text =
      fmt::format("# {}, {} {}", test.name, result.pairs, result.pairs == 1 ? "pair" : "pairs");
  if (test.windowed) text += fmt::format(", {} messages in flight", result.window);
  text += fmt::format(", over {}\n{:>12} {:>10}", result.transport, "bytes", "iterations");
  const auto names = headings(test.quantity);
  for (const std::string& name : names) text += fmt::format(" {:>12}", name);
  if (result.options.against_mpi)
    for (const std::string& name : names) text += fmt::format(" {:>14}", "MPI " + name);
  return text + (result.options.validate ? "   errors\n" : "\n");
}

std::string text_of(const PairResult& result, const PairRow& row) {
  std::string text = fmt::format("{:>12} {:>10}", row.bytes, row.iterations);
  for (const std::string& cell : cells(result, row, row.cuboid))
    text += fmt::format(" {:>12}", cell);
  if (row.mpi)
    for (const std::string& cell : cells(result, row, *row.mpi))
      text += fmt::format(" {:>14}", cell);
  return text + (row.errors ? fmt::format(" {:>8}\n", *row.errors) : "\n");
}

std::string osu_head(const PairResult& result) {
  return osu_table(result).head();
}

std::string osu_of(const PairResult& result, const PairRow& row, Library library) {
  const PairFigures& figures = library == Library::cuboid ? row.cuboid : *row.mpi;
  std::vector<std::string> values;
  const bool full = result.options.full;
  if (figures.overlap) {
    values = osu_overlap_values(*figures.overlap, full);
  } else if (result.test->quantity == Quantity::latency) {
    values = {osu_microseconds(figures.times->mean)};
    if (full) {
      values.push_back(osu_microseconds(figures.times->min));
      values.push_back(osu_microseconds(figures.times->max));
    }
  } else {
    values = {osu_number(result.bandwidth(row, figures.times->mean) * 1e-6)};
    if (result.test->quantity == Quantity::message_rate)
      values.push_back(osu_number(result.messages_per_second(figures.times->mean)));
  }
  if (full && !figures.overlap) values.push_back(std::to_string(row.iterations));
  for (std::string& verdict : osu_validation(row.errors)) values.push_back(std::move(verdict));
  if (!result.options.percentiles.empty()) {
    std::vector<double> of_parts;
    for (const double seconds : figures.times->of_parts)
      of_parts.push_back(result.test->quantity == Quantity::latency
                             ? seconds * 1e6
                             : result.bandwidth(row, seconds) * 1e-6);
    for (const double value : percentiles_of(std::move(of_parts), result.options.percentiles))
      values.push_back(osu_number(value));
  }
  return osu_table(result).row(row.bytes, values);
}

}  // namespace cuboid::detail::tools
