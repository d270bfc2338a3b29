#pragma once

#include <cuboid/collectives/communicator.hpp>

#include <functional>
#include <vector>

namespace cuboid::tools {

/// Appends what each of `times` calls took on this rank, all ranks having met before.
void repeat(const std::function<void()>& meet, const std::function<void()>& call, int times,
            std::vector<double>& seconds);

/// A repetition takes as long as its slowest rank. Collective.
std::vector<double> of_slowest(const Communicator& world, std::vector<double> seconds);

}  // namespace cuboid::tools
