#pragma once

#include <cuboid/shape.hpp>

#include "tools/bench/bench_options.hpp"
#include "tools/measurement/overlap.hpp"
#include "tools/measurement/row_printer.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The times of repetitions of one call.
struct Seconds {
  double min = 0;
  double median = 0;
  double p99 = 0;  ///< 99% of the repetitions took at most this long
  /// The 95% confidence interval of the median, from the ranks of the repetitions, whatever their
  /// distribution (Hoefler, Belli 2015, §4.2.1).
  double median_low = 0;
  double median_high = 0;

  /// The statistics of at least one repetition; the order does not matter.
  static Seconds of(std::vector<double> repetitions);
};

/// Statistics over the ranks of each rank's mean repetition.
struct OfRanks {
  double mean = 0;
  double min = 0;
  double max = 0;
};

/// The result for one size and one algorithm.
struct BenchRow {
  std::size_t bytes = 0;
  std::size_t asked_bytes = 0;  ///< size before rounding; in OSU's table, the size of a block
  std::string algorithm;
  /// Where buffers lie on devices: true if the calls went from device to device, false if they were
  /// staged. From device to device no algorithm runs.
  std::optional<bool> direct;
  std::size_t iterations = 0;
  Seconds seconds;
  std::optional<double> predicted_seconds;  ///< by the models; printed by --json
  /// The rate that the network's cables sustain, and the bound with their bursts (burst_bound.hpp),
  /// in bytes per second.
  std::optional<double> cables;
  std::optional<double> bound;
  std::optional<double> mpi_seconds_median;
  OfRanks of_ranks;
  std::optional<OfRanks> mpi_of_ranks;
  /// Percentiles over the repetitions of the mean over the ranks, where the user asked for them.
  std::vector<double> tail;
  std::vector<double> mpi_tail;
  std::optional<Overlap> overlap;  ///< overlap of non-blocking calls with computation
  std::optional<Overlap> mpi_overlap;
  /// The repetitions in the order in which they were run, where the user asked for them.
  std::vector<double> samples;
  std::vector<double> mpi_samples;
  std::optional<std::uint64_t> errors;  ///< wrong elements on all ranks; nullopt: not checked

  /// Bytes of the message divided by the median seconds.
  double bandwidth() const;
};

/// The result of a run of `cuboid bench`.
struct BenchResult {
  using Row = BenchRow;

  BenchOptions options;
  int ranks = 1;               ///< ranks that run the operation
  std::string transport;       ///< "ucx" or "mpi"
  int lines = 1;               ///< number of groups that ran at once
  std::optional<Shape> shape;  ///< shape of the network
  std::vector<BenchRow> rows;

  bool right() const;
};

/// What a RowPrinter prints of it: JSON, the table, and the format of OSU's benchmark of the
/// operation.
nlohmann::ordered_json head_json(const BenchResult& result);
nlohmann::ordered_json json_of(const BenchResult& result, const BenchRow& row);
std::string head_text(const BenchResult& result);
std::string text_of(const BenchResult& result, const BenchRow& row);
std::string osu_head(const BenchResult& result);
std::string osu_of(const BenchResult& result, const BenchRow& row, Library library);
inline bool compares_with_mpi(const BenchResult& result) {
  return result.options.run.against_mpi;
}

}  // namespace cuboid::detail::tools
