#pragma once

#include "collectives/butterflies/butterfly.hpp"

#include <cstddef>
#include <span>

namespace cuboid::detail {

/// How many messages the busiest link along an axis carries in a step, of butterflies whose steps
/// are alike but for their direction.
int busiest_link(const Shape& shape, std::span<const Butterfly> ways, std::size_t step);

/// Over how many links the farthest message of a step goes.
int farthest_links(const Shape& shape, const Butterfly& butterfly, std::size_t step);

}  // namespace cuboid::detail
