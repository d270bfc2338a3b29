#pragma once

#include <cuboid/communicator.hpp>

#include "tools/measurement/bench_memory.hpp"
#include "tools/measurement/run_flags.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The options of `cuboid bench pairs`.
struct AllPairsOptions {
  RunOptions run;
  int window = 8;
  BenchMemory memory = BenchMemory::host;  ///< of the sender and the receiver
};

/// A value for every pair of ranks, in row-major order: the row is the sender, the column the
/// receiver.
using PairMatrix = std::vector<double>;

/// The performance of all pairs, each measured alone: medians of several tries.
struct PairTable {
  PairMatrix latency;    ///< seconds for one byte: half of a round trip
  PairMatrix bandwidth;  ///< bytes per second
};

/// The result of `cuboid bench pairs`.
struct AllPairsResult {
  AllPairsOptions options;
  int ranks = 0;
  std::string transport;
  std::vector<std::string> hosts;  ///< host of each rank
  PairTable cuboid;
  std::optional<PairTable> mpi;

  std::size_t at(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks) +
           static_cast<std::size_t>(to);
  }
};

/// A pair that is much slower than the median.
struct SlowPair {
  int from = 0;
  int to = 0;
  double bandwidth = 0;
};

/// The median of all pairs of different ranks.
double median_of_pairs(const PairMatrix& matrix, int ranks);
/// The pairs with less than three quarters of the median bandwidth, the slowest first.
std::vector<SlowPair> slow_pairs(const AllPairsResult& result);

/// Measures one pair after the other. The result is the same on every rank. Collective.
AllPairsResult run_all_pairs(const AllPairsOptions& options, const Communicator& world);

nlohmann::ordered_json to_json(const AllPairsResult& result);
std::string to_text(const AllPairsResult& result);
/// OSU's benchmarks have no such table.
inline std::string to_osu(const AllPairsResult& result) {
  return to_text(result);
}

}  // namespace cuboid::detail::tools
