#pragma once

#include <cuboid/communicator.hpp>

#include <functional>
#include <map>
#include <string>

namespace cuboid::bench {

/// One round of an operation, which a rank repeats.
using Round = std::function<void()>;

/// The operations of the trials, by name. Each function makes the buffers and returns a round.
/// Collective.
const std::map<std::string, std::function<Round(const Communicator&)>>& fault_operations();

}  // namespace cuboid::bench
