#pragma once

#include <cuboid/collectives/algorithm.hpp>

#include <optional>

namespace cuboid {

/// What an algorithm with these settings takes by the simulator, which knows which messages meet on
/// which cables: formulas do not. Long pipelines are simulated in part, as each further segment
/// takes what the one before took.
///
/// nullopt where the formulas have to do: within a node, where cables are not known, for large
/// groups, and for calls of which a rank knows only its own blocks. Pure; a few milliseconds.
std::optional<double> simulated_seconds(const Call& call, const Algorithm& algorithm,
                                        const Settings& settings);

}  // namespace cuboid
