#pragma once

#include "collectives/engine/engine.hpp"
#include "collectives/transport/group.hpp"

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// What is left of a group.
struct Survivors {
  std::vector<int> ranks;     ///< of the group, ascending
  std::uint32_t context = 0;  ///< free on all of them
};

/// Lets the ranks of a group that are still there agree on who they are. Each tells all others whom
/// it knows to be gone, round by round, until all say the same; who does not answer is gone. What
/// one rank has settled on, it tells the others before it ends, so that no two end with different
/// answers where one rank dies meanwhile; where several do, this may end in an error for some.
/// Collective over the survivors. Throws Error(timeout) naming ranks that are there and do not
/// come.
Survivors agree_on_survivors(Engine& engine, Group& group);

}  // namespace cuboid::detail
