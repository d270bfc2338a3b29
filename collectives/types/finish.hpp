#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/reduction.hpp>

#include <cstddef>
#include <functional>

namespace cuboid::detail {

/// What is done in place to the combination of all ranks' elements at the end.
using FinishFunction = std::function<void(void* elements, std::size_t count)>;

/// For an average, the division by the number of ranks; empty for other reductions.
FinishFunction finish_for(const Reduction& reduction, Datatype type, int ranks);

/// The function that combines elements of a located type. Empty unless `kind` is minimum_location
/// or maximum_location.
CombineFunction combine_located(Reduction::Kind kind, Datatype type);

}  // namespace cuboid::detail
