#pragma once

#include "collectives/carrier/carrier.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace cuboid::detail {

/// Makes memory that the other ranks of the node can map.
/// @param alone  true if the node has no other ranks
std::unique_ptr<ExposedMemory> expose_in_node(std::size_t bytes, bool alone);

/// True if this is the key of such memory. UCX's keys are longer or shorter.
bool is_key_in_node(std::span<const std::byte> key);

/// Maps the memory of another rank of the node; returns nullptr if it cannot be mapped.
std::unique_ptr<ReachedMemory> reach_in_node(std::span<const std::byte> key, std::size_t bytes);

}  // namespace cuboid::detail
