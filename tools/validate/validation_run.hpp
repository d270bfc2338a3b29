#pragma once

#include <cuboid/communicator.hpp>

#include "collectives/types/collective.hpp"
#include "tools/validate/validation_report.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuboid::detail::tools {

/// What is measured, and how often.
struct ValidationExtent {
  std::vector<Operation> operations;
  std::vector<std::size_t> bytes;     ///< message sizes; the calibration uses none of them
  std::vector<std::int64_t> extents;  ///< of square matrices that are multiplied
  std::vector<std::int64_t> orders;   ///< of those that are factorised
  double seconds_per_case = 0;        ///< approximate, without the warm-up
  int least_repetitions = 0;
  int most_repetitions = 0;
  /// Algorithms predicted to take more than this many times the best one's time are left out.
  double slowest = 0;
  int calibrations = 0;  ///< at most; repeated while a hypervisor takes the cores
  int sweeps_again = 0;  ///< at most, over the cases that the hypervisor disturbed
};

/// Calibrates, predicts, measures. Collective; the report is the same on every rank.
ValidationReport validate(const ValidationExtent& extent, const Communicator& world);

}  // namespace cuboid::detail::tools
