#pragma once

#include <cuboid/shape.hpp>

#include "tools/bench/bench_options.hpp"
#include "tools/measurement/overlap.hpp"

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
  std::size_t iterations = 0;
  Seconds seconds;
  std::optional<double> predicted_seconds;  ///< by the models; printed by --json
  std::optional<double> bound;              ///< the network's bound in bytes per second
  std::optional<double> mpi_seconds_median;
  OfRanks of_ranks;
  std::optional<OfRanks> mpi_of_ranks;
  std::optional<Overlap> overlap;  ///< overlap of non-blocking calls with computation
  std::optional<Overlap> mpi_overlap;
  std::optional<std::uint64_t> errors;  ///< wrong elements on all ranks; nullopt: not checked

  /// Bytes of the message divided by the median seconds.
  double bandwidth() const;
};

/// The result of a run of `cuboid bench`.
struct BenchResult {
  BenchOptions options;
  int ranks = 1;               ///< ranks that run the operation
  std::string transport;       ///< "ucx" or "mpi"
  int lines = 1;               ///< number of groups that ran at once
  std::optional<Shape> shape;  ///< shape of the network
  std::vector<BenchRow> rows;

  bool right() const;
};

/// The object that --json prints.
nlohmann::ordered_json to_json(const BenchResult& result);

/// The result as a table.
std::string to_text(const BenchResult& result);

/// The result in the format of OSU's benchmark of the operation; with --against mpi, a second table
/// shows MPI's times.
std::string to_osu(const BenchResult& result);

}  // namespace cuboid::detail::tools
