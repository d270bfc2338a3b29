#pragma once

#include "mm/decompositions/required_layouts.hpp"
#include "mm/plan/mapped_grid.hpp"
#include "mm/plan/planner.hpp"
#include "models/multiplication/product_extents.hpp"

#include <vector>

namespace cuboid::detail {

/// The cost of each algorithm on a given grid. Each function returns a candidate with its costs
/// filled in, as in plan_candidates(). Pure.

ProductExtents extents_of(const ProductSize& size);

PlanCandidate srumma_on(const MappedGrid& grid, const PlanRequest& request, const Rates& rates);

/// SUMMA, and HSUMMA with groups.
PlanCandidate summa_on(const MappedGrid& grid, const GroupShape& groups, const PlanRequest& request,
                       const Rates& rates);

/// SUMMA with A or B stationary.
PlanCandidate stationary_on(StationaryOperand stays, const MappedGrid& grid,
                            const PlanRequest& request, const Rates& rates);

/// HSUMMA with measured groups. Its memory is that of the groups that need the most, and the
/// matrices of the measurement.
PlanCandidate sampled_on(const MappedGrid& grid, const PlanRequest& request, const Rates& rates);

/// Cannon's algorithm and SD-Cannon.
PlanCandidate rotating_on(MultiplicationAlgorithm algorithm, const MappedGrid& grid,
                          std::vector<RotationDigit> digits, const PlanRequest& request,
                          const Rates& rates);

PlanCandidate in_layers(const LaidLayers& grid, LayerAlgorithm inside, const PlanRequest& request,
                        const Rates& rates);

/// COSMA and CARMA. Words are counted share by share, because faces are cut unevenly.
PlanCandidate in_bricks(MultiplicationAlgorithm algorithm, BrickGrid bricks,
                        const BrickSteps& steps, const PlanRequest& request, const Rates& rates);

}  // namespace cuboid::detail
