#pragma once

#include "collectives/butterflies/butterfly.hpp"

#include <cstddef>
#include <span>

namespace cuboid::detail {

/// The number of messages that the busiest link carries in a step. The butterflies `ways` have the
/// same steps in different directions.
int busiest_link(const Shape& shape, std::span<const Butterfly> ways, std::size_t step);

/// The number of links that the farthest message of a step crosses.
int farthest_links(const Shape& shape, const Butterfly& butterfly, std::size_t step);

}  // namespace cuboid::detail
