#pragma once

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// Where the time of a run goes, in seconds; of the ranks' mean. compute, exchange_shown and idle
/// add up to the run's time; what is hidden is a part of compute.
struct TimeSplit {
  double compute = 0;
  double exchange_hidden = 0;  ///< exchange that passes while the rank computes
  double exchange_shown = 0;   ///< exchange that the rank waits for
  double idle = 0;             ///< waiting for ranks that compute, or that have more to do
};

/// The split of a measured run.
/// @param seconds  of the slowest rank
/// @param compute, waited  the ranks' means: in gemms, and in all else
/// @param exchange_alone  what the same exchange takes where nothing is computed. Ranks that wait
///                        longer than that wait for others that compute. Of what they do not
///                        wait for, no more can pass under the computing than that takes.
TimeSplit split_of(double seconds, double compute, double waited, double exchange_alone);

/// {compute, exchange_hidden, exchange_shown, idle}.
nlohmann::ordered_json to_json(const TimeSplit& split);

}  // namespace cuboid::detail::tools
