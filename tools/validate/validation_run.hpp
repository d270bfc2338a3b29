#pragma once

#include <cuboid/communicator.hpp>

#include "collectives/types/collective.hpp"
#include "mm/lu/factorise_plan.hpp"
#include "tools/validate/validation_report.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuboid::detail::tools {

/// What to measure, and how often.
struct ValidationExtent {
  std::vector<Operation> operations;
  std::vector<std::size_t> bytes;     ///< message sizes; the calibration uses none of them
  std::vector<std::int64_t> extents;  ///< extents of square matrices to multiply
  std::vector<std::int64_t> orders;   ///< orders of matrices to factorise
  std::vector<FactorisationKind> factorisations;
  double seconds_per_case = 0;  ///< approximate time, without the warm-up
  int least_repetitions = 0;
  int most_repetitions = 0;
  /// Algorithms whose predicted time exceeds the best one's by more than this factor are skipped.
  double slowest = 0;
  int calibrations =
      0;  ///< largest number of calibrations; repeated while a hypervisor takes the cores
  int sweeps_again = 0;  ///< largest number of sweeps over the cases that the hypervisor disturbed
};

/// Calibrates, predicts and measures. Collective; the report is the same on every rank.
ValidationReport validate(const ValidationExtent& extent, const Communicator& world);

}  // namespace cuboid::detail::tools
