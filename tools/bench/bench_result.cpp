#include "tools/bench/bench_result.hpp"

#include "tools/command/colour.hpp"
#include "tools/output/or_null.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

Json shape_json(const std::optional<Shape>& shape) {
  if (!shape) return nullptr;
  Json extents = Json::array();
  Json wraps = Json::array();
  for (const Axis& axis : shape->axes()) {
    extents.push_back(axis.extent);
    wraps.push_back(axis.wraps);
  }
  return {{"extents", extents}, {"wraps", wraps}, {"text", shape->to_string()}};
}

std::optional<double> fraction_of_bound(const BenchRow& row) {
  if (!row.bound || row.bytes == 0) return std::nullopt;
  return row.bandwidth() / *row.bound;
}

/// A reader's eye is drawn to where more than a tenth of the bound is missing.
constexpr double near_bound = 0.9;

std::string fraction_text(const std::optional<double>& fraction) {
  constexpr std::size_t width = 8;
  if (!fraction) return fmt::format("{:>{}}", "-", width);
  return coloured(fmt::format("{:>{}}", fmt::format("{:.1f}%", *fraction * 100), width),
                  *fraction < near_bound ? Colour::missed : Colour::chosen);
}

std::string rate(double bytes_per_second) {
  return fmt::format("{:.2f}", bytes_per_second * 1e-6);
}

std::string microseconds(double seconds) {
  return fmt::format("{:.2f}", seconds * 1e6);
}

}  // namespace

Seconds Seconds::of(std::vector<double> repetitions) {
  std::sort(repetitions.begin(), repetitions.end());
  const std::size_t count = repetitions.size();
  // The number of repetitions below the median is binomial; 1.96 standard deviations hold 95%.
  const double spread = 1.96 * std::sqrt(static_cast<double>(count));
  const double low = std::floor((static_cast<double>(count) - spread) / 2);
  const auto below = static_cast<std::size_t>(std::max(low, 1.0)) - 1;
  return {.min = repetitions.front(),
          .median = std::midpoint(repetitions[(count - 1) / 2], repetitions[count / 2]),
          .p99 = repetitions[(count * 99 + 99) / 100 - 1],
          .median_low = repetitions[below],
          .median_high = repetitions[count - 1 - below]};
}

double BenchRow::bandwidth() const {
  return seconds.median > 0 ? static_cast<double>(bytes) / seconds.median : 0;
}

bool BenchResult::right() const {
  return std::all_of(rows.begin(), rows.end(),
                     [](const BenchRow& row) { return row.errors.value_or(0) == 0; });
}

Json head_json(const BenchResult& result) {
  const BenchOptions& options = result.options;
  Json object;
  object["operation"] = options.name();
  object["call"] = to_string(options.call);
  object["ranks"] = result.ranks;
  object["transport"] = result.transport;
  object["shape"] = shape_json(result.shape);
  object["axis"] = or_null(options.lines);
  object["lines"] = result.lines;
  object["sub_box"] = options.sub_box ? Json(options.sub_box->text) : Json(nullptr);
  object["type"] = to_string(options.type);
  object["root"] = options.root;
  object["in_place"] = options.in_place;
  return object;
}

Json json_of(const BenchResult& result, const BenchRow& row) {
  Json one = {{"bytes", row.bytes},
              {"algorithm", row.algorithm},
              {"iterations", row.iterations},
              {"seconds_median", row.seconds.median},
              {"seconds_median_low", row.seconds.median_low},
              {"seconds_median_high", row.seconds.median_high},
              {"seconds_min", row.seconds.min},
              {"seconds_p99", row.seconds.p99},
              {"predicted_seconds", or_null(row.predicted_seconds)},
              {"bandwidth_bytes_per_second", row.bandwidth()},
              {"bound_bytes_per_second", or_null(row.bound)},
              {"fraction_of_bound", or_null(fraction_of_bound(row))},
              {"mpi_seconds_median", or_null(row.mpi_seconds_median)},
              {"errors", or_null(row.errors)}};
  if (result.options.call == CallForm::nonblocking) {
    put_overlap(one, "", row.overlap ? &*row.overlap : nullptr);
    put_overlap(one, "mpi_", row.mpi_overlap ? &*row.mpi_overlap : nullptr);
  }
  if (result.options.samples) {
    one["samples_seconds"] = row.samples;
    if (result.options.run.against_mpi) one["mpi_samples_seconds"] = row.mpi_samples;
  }
  return one;
}

std::string head_text(const BenchResult& result) {
  const BenchOptions& options = result.options;
  std::string text =
      fmt::format("# {}, {} rank{}", options.name(), result.ranks, result.ranks == 1 ? "" : "s");
  if (options.call != CallForm::blocking) text += ", " + to_string(options.call);
  if (options.lines) {
    text += result.lines == 1
                ? fmt::format(", in one line of axis {}", *options.lines)
                : fmt::format(", in {} lines of axis {} at once", result.lines, *options.lines);
  }
  if (options.sub_box) text += fmt::format(", in {}", options.sub_box->text);
  if (result.shape) text += fmt::format(", {}", result.shape->to_string());
  if (options.operation != Operation::barrier) text += ", " + to_string(options.type);
  text += options.in_place ? ", in place\n" : "\n";
  text += fmt::format("{:>12} {:>11} {:>11} {:>11} {:>10}", "bytes", "min us", "median us",
                      "p99 us", "MB/s");
  text += fmt::format(" {:>10} {:>8}", "bound MB/s", "of bound");
  const bool overlaps = options.call == CallForm::nonblocking;
  if (overlaps) text += fmt::format(" {:>8}", "hidden %");
  if (options.run.against_mpi) text += fmt::format(" {:>11} {:>7}", "MPI us", "faster");
  if (options.run.against_mpi && overlaps) text += fmt::format(" {:>12}", "MPI hidden %");
  if (options.run.validate) text += fmt::format(" {:>8}", "errors");
  return text + "  algorithm\n";
}

std::string text_of(const BenchResult&, const BenchRow& row) {
  const auto fraction = fraction_of_bound(row);
  std::string text =
      fmt::format("{:>12} {:>11} {:>11} {:>11} {:>10}", row.bytes, microseconds(row.seconds.min),
                  microseconds(row.seconds.median), microseconds(row.seconds.p99),
                  row.bytes > 0 ? rate(row.bandwidth()) : "-");
  text += fmt::format(" {:>10} {}", row.bound ? rate(*row.bound) : "-", fraction_text(fraction));
  if (row.overlap) text += fmt::format(" {:>8.1f}", row.overlap->percent());
  if (row.mpi_seconds_median) {
    text += fmt::format(" {:>11} {:>6.2f}x", microseconds(*row.mpi_seconds_median),
                        *row.mpi_seconds_median / row.seconds.median);
  }
  if (row.mpi_overlap) text += fmt::format(" {:>12.1f}", row.mpi_overlap->percent());
  if (row.errors) text += fmt::format(" {:>8}", *row.errors);
  return text + fmt::format("  {}\n", row.algorithm);
}

}  // namespace cuboid::detail::tools
