#pragma once

#include <cuboid/matrix.hpp>

#include "mm/lu/lu_grid.hpp"
#include "models/factorisation/lu_schedule.hpp"

#include <cstdint>
#include <span>

namespace cuboid::detail {

/// Applies to each panel of L what the steps after it have exchanged, each row moved once, straight
/// to its place. Collective over the ranks of the grid.
/// @param swaps  of all steps: row k with row swaps[k], in turn.
/// @param parts  this rank's rows and columns, of which it has its layer's slices of L.
template <MatrixElement T>
void apply_later_interchanges(const LuGrid& grid, const LuSchedule& schedule,
                              std::span<const std::int64_t> swaps, LocalView<T> parts);

}  // namespace cuboid::detail
