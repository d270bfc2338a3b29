#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// What every run on matrices reports, whatever it computes.
struct RunSummary {
  int ranks = 1;
  int threads = 1;
  int ranks_in_process = 1;
  std::string transport;  ///< "ucx" or "mpi"
  std::string blas;
  std::string kernels;
  std::string explanation;  ///< if it was asked for
  int repeats = 1;
  double seconds = 0;                  ///< the median repeat, by its slowest rank
  std::uint64_t bytes_sent_total = 0;  ///< of one repeat, all ranks
  std::uint64_t bytes_sent_max = 0;    ///< of the rank that sends most; the next likewise
  std::uint64_t messages_max = 0;
  /// The largest resident memory of a rank's process up to the last repeat, program and libraries
  /// included. Ranks that are threads share one process: each is given an equal part.
  std::uint64_t peak_memory_bytes_max = 0;
  std::string output;
};

/// "1.50 GiB".
std::string bytes_text(std::uint64_t count);

/// The lines of a table.
std::string ranks_line(const RunSummary& run);
std::string time_line(const RunSummary& run, double gflops);
/// @param more  what else is to be said of the busiest rank; empty, or with a comma before it.
std::string traffic_line(const RunSummary& run, const std::string& more = {});
std::string memory_line(const RunSummary& run, const std::string& more = {});

/// Its members of the object that --json prints.
void put_ranks(nlohmann::ordered_json& object, const RunSummary& run);
void put_time(nlohmann::ordered_json& object, const RunSummary& run, double gflops);

}  // namespace cuboid::detail::tools
