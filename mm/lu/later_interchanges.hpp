#pragma once

#include <cuboid/matrix.hpp>

#include "mm/lu/lu_grid.hpp"
#include "models/factorisation/panel_schedule.hpp"

#include <cstdint>
#include <span>

namespace cuboid::detail {

/// Applies the interchanges of later steps to each panel of L. Each row is moved once, straight to
/// its place. Collective over the ranks of the grid.
/// @param swaps  the swaps of all steps: row k with row swaps[k], in turn.
/// @param parts  this rank's rows and columns, of which it has its layer's slices of L.
template <MatrixElement T>
void apply_later_interchanges(const LuGrid& grid, const PanelSchedule& schedule,
                              std::span<const std::int64_t> swaps, LocalView<T> parts);

}  // namespace cuboid::detail
