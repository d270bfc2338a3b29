#pragma once

#include <cuboid/communicator.hpp>

#include <functional>
#include <vector>

namespace cuboid::detail::tools {

/// Appends what each of `times` calls took on this rank, all ranks having met before.
void repeat(const std::function<void()>& meet, const std::function<void()>& call, int times,
            std::vector<double>& seconds);

/// Calls at least once, and until links between nodes have spent what they may catch up with after
/// a rest: what is measured then is one of many calls. Returns the seconds of the first on its
/// slowest rank. Collective.
double warm_up(const Communicator& world, const std::function<void()>& meet,
               const std::function<void()>& call);

/// A repetition takes as long as its slowest rank. Collective.
std::vector<double> of_slowest(const Communicator& world, std::vector<double> seconds);

}  // namespace cuboid::detail::tools
