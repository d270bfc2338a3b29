#pragma once

#include "collectives/engine/engine.hpp"
#include "collectives/transport/group.hpp"

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// The survivors of a group.
struct Survivors {
  std::vector<int> ranks;     ///< by their numbers in the group, ascending
  std::uint32_t context = 0;  ///< a context number that is free on all of them
};

/// Lets the surviving ranks of a group agree on who survives. In each round every rank tells all
/// others which ranks it knows to be gone, until all agree. A rank that does not answer is gone.
/// Before a rank ends it tells the others its result, so no two ranks end with different results if
/// one rank dies meanwhile; if several die, some ranks may get an error. Collective over the
/// survivors. Throws Error(timeout), which names ranks that are alive but did not call it.
Survivors agree_on_survivors(Engine& engine, Group& group);

}  // namespace cuboid::detail
