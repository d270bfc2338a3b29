#pragma once

#include "collectives/butterflies/butterfly.hpp"
#include "collectives/forests/grouped.hpp"
#include "collectives/forests/rectangular.hpp"
#include "collectives/rounds/bruck.hpp"
#include "collectives/schedules/segmentation.hpp"

#include <vector>

namespace cuboid::detail {

/// Settings of algorithms. Each algorithm uses those that concern it.
struct Settings {
  Pipelining pipelining = {};
  int colours = 1;                           ///< trees that a message is shared among
  Colours colour_set = Colours::every_link;  ///< which trees
  std::vector<TreeLevel> levels = {};        ///< of a hierarchy
  int radix = 2;                             ///< of a k-nomial tree, or of the steps of a scatter
  int roots = 1;                             ///< nodes at which parts of a message are combined
  int scatter_steps = 0;                     ///< steps of a butterfly that cut what is left
  bool by_parts = false;                     ///< see BoardPlan
  bool lockstep = false;                     ///< rounds of a butterfly; see Rounds::lockstep
  Folding folding = {};                      ///< what a butterfly does with large extents
  BruckDigits digits = {};                   ///< of an all-to-all's distances
};

}  // namespace cuboid::detail
