#pragma once

#include "collectives/butterflies/butterfly.hpp"
#include "collectives/forests/grouped.hpp"
#include "collectives/forests/rectangular.hpp"
#include "collectives/rounds/bruck.hpp"
#include "collectives/schedules/segmentation.hpp"

#include <vector>

namespace cuboid::detail {

/// The settings of algorithms. Each algorithm uses some of them.
struct Settings {
  Pipelining pipelining = {};
  int colours = 1;  ///< trees, or butterflies, among which a message is divided
  Colours colour_set = Colours::every_link;  ///< which trees
  std::vector<TreeLevel> levels = {};        ///< the levels of a hierarchy
  int radix = 2;            ///< the radix of a k-nomial tree, or the parts of a step of a scatter
  int roots = 1;            ///< nodes at which parts of a message are combined
  int scatter_steps = 0;    ///< steps of a butterfly or scatter that cut what is left
  bool by_parts = false;    ///< see BoardPlan
  bool lockstep = false;    ///< rounds of a butterfly go in lockstep; see Rounds::lockstep
  Folding folding = {};     ///< how a butterfly deals with extents whose prime factors are large
  BruckDigits digits = {};  ///< the digits of an all-to-all's distances
  bool operator==(const Settings&) const = default;
};

}  // namespace cuboid::detail
