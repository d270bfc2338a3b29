#pragma once

namespace cuboid::detail {

/// The colour of ranks outside a grid, see Communicator::split().
inline constexpr int no_part = -1;

}  // namespace cuboid::detail
