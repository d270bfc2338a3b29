#include "tools/bench/bench_result.hpp"

#include "base/page_text.hpp"
#include "tools/command/colour.hpp"
#include "tools/output/or_null.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

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

std::string fraction_text(const std::optional<double>& fraction, int width) {
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

std::optional<std::string> way_of(const BenchRow& row) {
  if (!row.direct) return std::nullopt;
  return *row.direct ? "direct" : "staged";
}

/// A column of the table, before that of algorithms.
struct Column {
  std::string head;
  int width;
  /// Which columns are left out first where not all fit on a page: 1 before 2; 0: never.
  int left_out;
  std::function<std::string(const BenchRow&, int width)> cell;
};

template <class Text>
Column column(std::string head, int width, int left_out, const Text& text) {
  return {std::move(head), width, left_out, [text](const BenchRow& row, int columns) {
            return fmt::format("{:>{}}", text(row), columns);
          }};
}

/// The columns of a page, or fewer: rows are printed as they are measured, so that they are not
/// laid out below each other. JSON and CSV have all values.
std::vector<Column> columns_of(const BenchOptions& options) {
  constexpr int longest_algorithm = 18;  // recursive_doubling
  const bool overlaps = options.call == CallForm::nonblocking;
  std::vector<Column> columns;
  columns.push_back(column("bytes", 10, 0, [](const BenchRow& row) { return row.bytes; }));
  columns.push_back(
      column("min us", 9, 1, [](const BenchRow& row) { return microseconds(row.seconds.min); }));
  columns.push_back(column("median us", 9, 0,
                           [](const BenchRow& row) { return microseconds(row.seconds.median); }));
  columns.push_back(
      column("p99 us", 9, 2, [](const BenchRow& row) { return microseconds(row.seconds.p99); }));
  columns.push_back(column("MB/s", 9, 3, [](const BenchRow& row) {
    return row.bytes > 0 ? rate(row.bandwidth()) : "-";
  }));
  columns.push_back({"of bound", 8, 4, [](const BenchRow& row, int width) {
                       return fraction_text(fraction_of_bound(row), width);
                     }});
  if (options.memory != BenchMemory::host) {
    columns.push_back(
        column("way", 6, 0, [](const BenchRow& row) { return way_of(row).value_or("-"); }));
  }
  const auto percent = [](const std::optional<Overlap>& overlap) {
    return overlap ? fmt::format("{:.1f}", overlap->percent()) : "-";
  };
  if (overlaps) {
    columns.push_back(
        column("hidden %", 8, 0, [=](const BenchRow& row) { return percent(row.overlap); }));
  }
  if (options.run.against_mpi) {
    columns.push_back(column("MPI us", 9, 0, [](const BenchRow& row) {
      return row.mpi_seconds_median ? microseconds(*row.mpi_seconds_median) : "-";
    }));
    columns.push_back(column("faster", 7, 0, [](const BenchRow& row) {
      return row.mpi_seconds_median
                 ? fmt::format("{:.2f}x", *row.mpi_seconds_median / row.seconds.median)
                 : "-";
    }));
    if (overlaps) {
      columns.push_back(
          column("MPI's", 5, 0, [=](const BenchRow& row) { return percent(row.mpi_overlap); }));
    }
  }
  if (options.run.validate) {
    columns.push_back(column("errors", 6, 0, [](const BenchRow& row) {
      return row.errors ? std::to_string(*row.errors) : "-";
    }));
  }
  const auto width = [&] {
    int sum = 1 + longest_algorithm;
    for (const Column& one : columns) sum += 1 + one.width;
    return sum;
  };
  for (int next = 1; width() > static_cast<int>(page_width) && next <= 4; ++next)
    std::erase_if(columns, [&](const Column& one) { return one.left_out == next; });
  return columns;
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
  object["memory"] = to_string(options.memory);
  return object;
}

Json json_of(const BenchResult& result, const BenchRow& row) {
  Json one = {{"bytes", row.bytes},
              {"algorithm", row.algorithm},
              {"way", or_null(way_of(row))},
              {"iterations", row.iterations},
              {"seconds_median", row.seconds.median},
              {"seconds_median_low", row.seconds.median_low},
              {"seconds_median_high", row.seconds.median_high},
              {"seconds_min", row.seconds.min},
              {"seconds_p99", row.seconds.p99},
              {"predicted_seconds", or_null(row.predicted_seconds)},
              {"bandwidth_bytes_per_second", row.bandwidth()},
              {"cables_bytes_per_second", or_null(row.cables)},
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
  if (options.in_place) text += ", in place";
  text += memory_text(options.memory);
  if (!result.rows.empty() && result.rows.front().bound)
    text += fmt::format(", bound {} MB/s", rate(*result.rows.front().bound));
  constexpr std::size_t indent = 2;
  text = folded(text + "\n", indent);
  for (const Column& one : columns_of(options)) text += fmt::format("{:>{}} ", one.head, one.width);
  return text + " algorithm\n";
}

std::string text_of(const BenchResult& result, const BenchRow& row) {
  std::string text;
  for (const Column& one : columns_of(result.options)) text += one.cell(row, one.width) + " ";
  return text + fmt::format(" {}\n", row.algorithm);
}

}  // namespace cuboid::detail::tools
