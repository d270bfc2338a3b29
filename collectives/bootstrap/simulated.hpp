#pragma once

namespace cuboid::detail {

/// True where SimGrid's MPI carries the messages: its ranks are simulated.
#ifdef CUBOID_SIMULATED
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

}  // namespace cuboid::detail
