#pragma once

#include <cuboid/collectives/crowd_samples.hpp>
#include <cuboid/collectives/place_samples.hpp>
#include <cuboid/collectives/surroundings.hpp>
#include <cuboid/models/message_fit.hpp>
#include <cuboid/models/parameters.hpp>

#include <vector>

namespace cuboid {

/// What calibrate() makes of what it measured. Pure functions.

/// All that was measured.
struct Samples {
  PlaceSamples between_nodes;
  PlaceSamples within_nodes;
  std::vector<double> injection;  ///< bytes per second
  std::vector<double> hops;       ///< seconds
  std::vector<MessageSample> crowded;
  std::vector<MessageSample> fresh;
  CrowdedNetwork crowded_network;
  EveryoneToEveryone everyone;
  std::vector<MessageSample> combining;
  std::vector<MessageSample> copying;
};

/// But for the key.
Parameters fit_parameters(const Samples& samples, const Surroundings& surroundings);

}  // namespace cuboid
