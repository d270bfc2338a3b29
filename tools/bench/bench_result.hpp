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
  double p99 = 0;  ///< 99 of 100 took at most so long

  /// Of at least one repetition, in any order.
  static Seconds of(std::vector<double> repetitions);
};

/// The mean repetition of each rank, over the ranks.
struct OfRanks {
  double mean = 0;
  double min = 0;
  double max = 0;
};

/// One size of one algorithm.
struct BenchRow {
  std::size_t bytes = 0;
  std::size_t asked_bytes = 0;  ///< before it was rounded up; for OSU's table that of a block
  std::string algorithm;
  std::size_t iterations = 0;
  Seconds seconds;
  std::optional<double> predicted_seconds;  ///< by the models, for --json
  std::optional<double> bound;              ///< bytes per second that the network allows
  std::optional<double> mpi_seconds_median;
  OfRanks of_ranks;
  std::optional<OfRanks> mpi_of_ranks;
  std::optional<Overlap> overlap;  ///< of non-blocking calls
  std::optional<Overlap> mpi_overlap;
  std::optional<std::uint64_t> errors;  ///< wrong elements on all ranks; nullopt: not checked

  /// Bytes of the message per second, by the median.
  double bandwidth() const;
};

/// The result of a run of `cuboid bench`.
struct BenchResult {
  BenchOptions options;
  int ranks = 1;               ///< that run the operation
  std::string transport;       ///< "ucx" or "mpi"
  int lines = 1;               ///< groups that ran at once
  std::optional<Shape> shape;  ///< of the network
  std::vector<BenchRow> rows;

  bool right() const;
};

/// The object that --json prints.
nlohmann::ordered_json to_json(const BenchResult& result);

/// The result as a table.
std::string to_text(const BenchResult& result);

/// The result as OSU's benchmark of the operation prints it; with --against mpi a second table has
/// MPI's.
std::string to_osu(const BenchResult& result);

}  // namespace cuboid::detail::tools
