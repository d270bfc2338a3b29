#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The report that every run on matrices has, whatever it computes.
struct RunSummary {
  int ranks = 1;
  int threads = 1;
  int ranks_in_process = 1;
  std::string transport;  ///< "ucx" or "mpi"
  std::string blas;
  std::string kernels;
  std::string device;       ///< that multiplied, or why none did; of multiplications
  std::string explanation;  ///< empty if none was asked for
  int repeats = 1;
  double seconds = 0;                  ///< median over the repeats of the slowest rank's time
  std::uint64_t bytes_sent_total = 0;  ///< bytes of one repeat, all ranks
  /// Bytes and messages that the rank which sends most has sent in one repeat.
  std::uint64_t bytes_sent_max = 0;
  std::uint64_t messages_max = 0;
  /// The largest resident memory of a rank's process up to the last repeat, including program and
  /// libraries. Ranks that are threads share one process; each counts an equal part.
  std::uint64_t peak_memory_bytes_max = 0;
  std::string output;
};

/// The columns of the words that lines of a report begin with.
inline constexpr std::size_t label_width = 12;

/// Bytes as text, e.g. "1.50 GiB".
std::string bytes_text(std::uint64_t count);

/// Lines of the table.
std::string ranks_line(const RunSummary& run);
std::string time_line(const RunSummary& run, double gflops);
/// @param more  a further statement on the busiest rank; empty, or with a leading comma.
std::string traffic_line(const RunSummary& run, const std::string& more = {});
std::string memory_line(const RunSummary& run, const std::string& more = {});

/// Adds the summary's members to the object that --json prints.
void put_ranks(nlohmann::ordered_json& object, const RunSummary& run);
void put_time(nlohmann::ordered_json& object, const RunSummary& run, double gflops);

}  // namespace cuboid::detail::tools
