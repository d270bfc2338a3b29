#pragma once

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// How a run's time is spent, in seconds, as means over the ranks. compute, exchange_shown and idle
/// add up to the run's time; exchange_hidden is a part of compute.
struct TimeSplit {
  double compute = 0;
  double exchange_hidden = 0;  ///< exchange that overlaps with computation
  double exchange_shown = 0;   ///< exchange that the rank waits for
  double idle = 0;  ///< time in which the rank waits for ranks that compute or have more work
};

/// The split of a measured run.
/// @param seconds         the slowest rank's time
/// @param compute         mean over the ranks of the time in gemms
/// @param waited          mean over the ranks of all other time
/// @param exchange_alone  the time of the same exchange without computation. A rank that waits
/// longer than this waits for ranks that compute. The part of it that a rank does not wait for is
/// hidden, up to the time of its computation.
TimeSplit split_of(double seconds, double compute, double waited, double exchange_alone);

/// {compute, exchange_hidden, exchange_shown, idle}.
nlohmann::ordered_json to_json(const TimeSplit& split);

}  // namespace cuboid::detail::tools
