#pragma once

#include <cuboid/communicator.hpp>

#include <functional>
#include <map>
#include <string>

namespace cuboid::bench {

/// One round of an operation, to be repeated.
using Round = std::function<void()>;

/// What ranks repeat in trials, by name: makes the buffers, and returns a round. Collective.
const std::map<std::string, std::function<Round(const Communicator&)>>& fault_operations();

}  // namespace cuboid::bench
