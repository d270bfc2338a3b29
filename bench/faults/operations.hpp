#pragma once

#include <cuboid/communicator.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace cuboid::bench {

/// One round of an operation, which a rank repeats.
using Round = std::function<void()>;

/// Makes the buffers of an operation and returns a round of it. Collective.
/// @param folder  for files: `whole.*`, written once, and `result.*`, written in each round.
using Operation = std::function<Round(const Communicator&, const std::filesystem::path& folder)>;

/// The operations of the trials, by name.
const std::map<std::string, Operation>& fault_operations();

}  // namespace cuboid::bench
