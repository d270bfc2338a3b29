#pragma once

#include "mm/plan/planner.hpp"
#include "tools/mm/mm_check.hpp"
#include "tools/mm/mm_options.hpp"
#include "tools/output/run_summary.hpp"
#include "tools/output/time_split.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The times of the phases, in seconds.
struct MmPhases {
  double read = 0;  ///< reading or generating A, B and C; on the slowest rank
  /// The mean over the ranks, of one multiplication; also for broadcast and gemm.
  double distribute = 0;
  double broadcast = 0;
  double gemm = 0;
  double write = 0;  ///< writing C; on the slowest rank
};

/// The result of a run of `cuboid mm`.
struct MmResult : RunSummary {
  Product product;
  std::string algorithm;
  std::vector<PlanCandidate> candidates;  ///< the candidates that were compared; the first was run
  std::optional<GroupShape> sampled_groups;  ///< HSUMMA's groups, if it had to try several
  double lower_bound_words = 0;  ///< a lower bound on the busiest rank's, for any algorithm
  MmPhases phases;               ///< the phases of the median multiplication
  std::optional<MmCheck> check;
  std::optional<double> exchange_alone;  ///< seconds without the multiplications, for --split
  std::uint64_t bytes_received_max = 0;  ///< in one multiplication
  FactorPrecision precision = FactorPrecision::single;
  bool on_devices = false;  ///< the matrices lie in devices' memory

  const PlanCandidate& plan() const { return candidates.front(); }
  double gflops() const;
  /// The parts of the time, if --split was given.
  std::optional<TimeSplit> split() const;
};

/// The object that --json prints.
nlohmann::ordered_json to_json(const MmResult& result);

/// The result as a table.
std::string to_text(const MmResult& result);

/// A candidate as --json prints it, for a product with elements of `element_bytes` bytes.
nlohmann::ordered_json to_json(const PlanCandidate& candidate, std::size_t element_bytes);

/// An algorithm that --algorithm all could not run, and why.
struct SkippedAlgorithm {
  MultiplicationAlgorithm algorithm;
  std::string reason;
};

/// The result of --algorithm all: the measured algorithms, the fastest first.
nlohmann::ordered_json comparison_json(const std::vector<MmResult>& results,
                                       const std::vector<SkippedAlgorithm>& skipped);
std::string comparison_text(const std::vector<MmResult>& results,
                            const std::vector<SkippedAlgorithm>& skipped);

/// The result of --volume-only.
nlohmann::ordered_json volume_json(const std::vector<PlanCandidate>& candidates,
                                   const PlanRequest& request);
std::string volume_text(const std::vector<PlanCandidate>& candidates, const PlanRequest& request);

}  // namespace cuboid::detail::tools
