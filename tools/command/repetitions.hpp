#pragma once

#include <cuboid/communicator.hpp>

#include <functional>
#include <vector>

namespace cuboid::detail::tools {

/// Appends the time of each of `times` calls on this rank; all ranks synchronise before each.
void repeat(const std::function<void()>& meet, const std::function<void()>& call, int times,
            std::vector<double>& seconds);

/// Warms up: calls at least once, and until links between nodes have used up their bursts, so that
/// later calls are typical. Returns the time of the first call on its slowest rank. Collective.
double warm_up(const Communicator& world, const std::function<void()>& meet,
               const std::function<void()>& call);

/// A repetition takes as long as its slowest rank. Collective.
std::vector<double> of_slowest(const Communicator& world, std::vector<double> seconds);

}  // namespace cuboid::detail::tools
