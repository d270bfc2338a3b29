#pragma once

#include "tools/measurement/overlap.hpp"
#include "tools/measurement/run_flags.hpp"
#include "tools/point_to_point/pair_test.hpp"

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
  const PairTest* test = nullptr;
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

nlohmann::ordered_json to_json(const PairResult& result);
std::string to_text(const PairResult& result);
/// The result in OSU's format; with --against mpi, a second table shows MPI's.
std::string to_osu(const PairResult& result);

}  // namespace cuboid::detail::tools
