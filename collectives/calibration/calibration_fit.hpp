#pragma once

#include "collectives/calibration/contention_samples.hpp"
#include "collectives/calibration/pair_samples.hpp"
#include "collectives/evaluation/group_cost_model.hpp"
#include "models/messages/message_fit.hpp"
#include "models/messages/parameters.hpp"

#include <vector>

namespace cuboid::detail {

/// The arithmetic that turns calibrate()'s measurements into parameters. Pure functions.

/// All measurements.
struct Samples {
  PairSamples between_nodes;
  PairSamples within_nodes;
  std::vector<double> distant;  ///< seconds of short messages over `cables` cables
  int cables = 0;
  std::vector<double> injection;  ///< bytes per second
  std::vector<double> hops;       ///< seconds
  std::vector<double> source;  ///< bytes per second of one rank's memory to all readers on its node
  std::vector<MessageSample> crowded;
  std::vector<MessageSample> fresh;
  CrowdedNetwork crowded_network;
  EveryoneToEveryone everyone;
  std::vector<MessageSample> combining;
  std::vector<MessageSample> copying;
};

/// The parameters, without their key.
Parameters fit_parameters(const Samples& samples, const GroupCostModel& cost_model);

}  // namespace cuboid::detail
