#pragma once

#include "collectives/carrier/carrier.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace cuboid::detail {

/// Memory that the other ranks of the node can map.
/// @param alone  there are none
std::unique_ptr<ExposedMemory> expose_in_node(std::size_t bytes, bool alone);

/// Whether this is the key of such memory: UCX's are longer or shorter.
bool is_key_in_node(std::span<const std::byte> key);

/// nullptr where it cannot be mapped.
std::unique_ptr<ReachedMemory> reach_in_node(std::span<const std::byte> key, std::size_t bytes);

}  // namespace cuboid::detail
