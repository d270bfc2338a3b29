#pragma once

#include <cuboid/communicator.hpp>

#include "tools/point_to_point/pair_result.hpp"

#include <functional>
#include <optional>

namespace cuboid::detail::tools {

/// The options of a measurement between pairs.
struct PairOptions {
  const PairMeasurement* test = nullptr;
  RunOptions run;
  int window = 64;
  std::optional<int> pairs;  ///< nullopt: all ranks are in pairs
};

/// The number of pairs. Throws Error(invalid_argument) if the ranks do not form as many pairs.
int pairs_of(const PairOptions& options, int ranks);

/// Runs the measurement. The result is the same on every rank. Collective.
/// @param grown  called on rank 0 after each row, with the result up to this row.
PairResult run_pairs(const PairOptions& options, const Communicator& world,
                     const std::function<void(const PairResult&)>& grown);

}  // namespace cuboid::detail::tools
