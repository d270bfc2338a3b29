#pragma once

#include <cuboid/communicator.hpp>

#include "collectives/types/collective.hpp"

namespace cuboid::detail {

/// Compares a call with the calls of the other ranks: operation, count, type, root, reduction, and
/// the lengths of blocks. Collective: waits for all ranks. If calls differ, every rank throws
/// Error(mismatch), which names the first rank whose call differs from the majority's, both calls,
/// and the remedy. Nothing has been started then, and the communicator stays usable.
void require_same_call(const Communicator& communicator, const Collective& collective);

}  // namespace cuboid::detail
