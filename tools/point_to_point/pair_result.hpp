#pragma once

#include "tools/measurement/overlap.hpp"
#include "tools/measurement/row_printer.hpp"
#include "tools/measurement/run_flags.hpp"
#include "tools/point_to_point/pair_measurement.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// Seconds of one iteration, over the pairs and over parts of the repetitions.
struct PairTimes {
  double mean = 0;
  double median = 0;  ///< median over the parts of the mean over the pairs
  double min = 0;
  double max = 0;
  std::vector<double> of_parts = {};  ///< the mean over the pairs in each part
};

/// The figures measured over Cuboid or over MPI; one of the members is set.
struct PairFigures {
  std::optional<PairTimes> times;
  std::optional<Overlap> overlap;
};

/// The result for one size.
struct PairRow {
  std::size_t bytes = 0;
  int iterations = 0;
  PairFigures cuboid;
  std::optional<PairFigures> mpi;
  std::optional<std::uint64_t> errors;  ///< wrong bytes on all ranks; nullopt: not checked
};

/// The result of a measurement between pairs.
struct PairResult {
  using Row = PairRow;

  const PairMeasurement* test = nullptr;
  RunOptions options;
  int ranks = 0;
  int pairs = 1;
  int window = 1;  ///< messages in flight
  std::string transport;
  std::vector<PairRow> rows;

  bool right() const;
  /// Bytes per second of all pairs together, computed from the mean as in OSU's benchmarks.
  double bandwidth(const PairRow& row, double seconds) const;
  double messages_per_second(double seconds) const;
};

/// The functions with which a RowPrinter prints the result: as JSON, as the table, and in OSU's
/// format.
nlohmann::ordered_json head_json(const PairResult& result);
nlohmann::ordered_json json_of(const PairResult& result, const PairRow& row);
std::string head_text(const PairResult& result);
std::string text_of(const PairResult& result, const PairRow& row);
std::string osu_head(const PairResult& result);
std::string osu_of(const PairResult& result, const PairRow& row, Library library);
inline bool compares_with_mpi(const PairResult& result) {
  return result.options.against_mpi;
}

}  // namespace cuboid::detail::tools
