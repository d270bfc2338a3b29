#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/reduction.hpp>

#include <cstddef>
#include <functional>

namespace cuboid::detail {

/// What is done to a combination of all ranks' elements at last, in place.
using FinishFunction = std::function<void(void* elements, std::size_t count)>;

/// Of an average, the division by the number of ranks; empty for other reductions.
FinishFunction finish_for(const Reduction& reduction, Datatype type, int ranks);

/// The function that combines elements of a located type; empty unless `kind` is minimum_location
/// or maximum_location.
CombineFunction combine_located(Reduction::Kind kind, Datatype type);

}  // namespace cuboid::detail
