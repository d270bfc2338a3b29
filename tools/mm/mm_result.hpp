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
  double read = 0;        ///< reading or generating A, B and C; the slowest rank
  double distribute = 0;  ///< of one multiplication, like the next two; the ranks' mean
  double broadcast = 0;
  double gemm = 0;
  double write = 0;  ///< writing C; the slowest rank
};

/// The result of a run of `cuboid mm`.
struct MmResult : RunSummary {
  Product product;
  std::string algorithm;
  std::vector<PlanCandidate> candidates;     ///< what was weighed; the first is what was done
  std::optional<GroupShape> sampled_groups;  ///< HSUMMA's, where it was to try
  double lower_bound_words = 0;              ///< that the busiest rank of any algorithm receives
  MmPhases phases;                           ///< those of the median multiplication
  std::optional<MmCheck> check;
  std::optional<double> exchange_alone;  ///< seconds without the multiplications, for --split
  std::uint64_t bytes_received_max = 0;  ///< of one multiplication

  const PlanCandidate& plan() const { return candidates.front(); }
  double gflops() const;
  /// Where the time went, if --split asked.
  std::optional<TimeSplit> split() const;
};

/// The object that --json prints.
nlohmann::ordered_json to_json(const MmResult& result);

/// The result as a table.
std::string to_text(const MmResult& result);

/// One candidate as --json prints it, of a product whose elements have so many bytes.
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
