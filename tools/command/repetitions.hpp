#pragma once

#include <cuboid/communicator.hpp>

#include <functional>
#include <vector>

namespace cuboid::detail::tools {

/// Makes `times` calls on this rank and appends the time of each; all ranks synchronise before each
/// call.
void repeat(const std::function<void()>& meet, const std::function<void()>& call, int times,
            std::vector<double>& seconds);

/// Warms up. Calls at least once, and until links between nodes have used up their bursts, so that
/// later calls are typical. Returns the time of the first call on its slowest rank. Collective.
double warm_up(const Communicator& world, const std::function<void()>& meet,
               const std::function<void()>& call);

/// The times of the slowest rank in each repetition. Collective.
std::vector<double> of_slowest(const Communicator& world, std::vector<double> seconds);

}  // namespace cuboid::detail::tools
