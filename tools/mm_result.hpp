#pragma once

#include <cuboid/mm/grid_shape.hpp>
#include <cuboid/tools/mm_check.hpp>
#include <cuboid/tools/mm_options.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::tools {

/// Where the time went, in seconds.
struct MmPhases {
  double read = 0;        ///< reading or generating A, B and C; the slowest rank
  double distribute = 0;  ///< of one multiplication, like the next two; the ranks' mean
  double broadcast = 0;
  double gemm = 0;
  double write = 0;  ///< writing C; the slowest rank
};

/// What a run of `cuboid mm` has to tell.
struct MmResult {
  Product product;
  int ranks = 1;
  int threads = 1;
  int ranks_in_process = 1;
  std::string algorithm;
  std::int64_t panel_width = 0;
  std::string blas;
  std::string kernels;
  int repeats = 1;
  double seconds = 0;  ///< the median multiplication, by its slowest rank
  MmPhases phases;     ///< those of the median multiplication
  std::optional<MmCheck> check;
  std::string output;
  std::uint64_t bytes_sent_total = 0;  ///< of one multiplication, all ranks
  std::uint64_t bytes_sent_max = 0;    ///< of the rank that sends most; the next two likewise
  std::uint64_t bytes_received_max = 0;
  std::uint64_t messages_max = 0;
  /// The largest resident memory of a rank's process up to the last multiplication, program and
  /// libraries included. Ranks that are threads share one process: each is given an equal part.
  std::uint64_t peak_memory_bytes_max = 0;

  double gflops() const;
};

/// The object that --json prints.
nlohmann::ordered_json to_json(const MmResult& result);

/// The table for people.
std::string to_text(const MmResult& result);

}  // namespace cuboid::tools
