#pragma once

#include "mm/decompositions/required_layouts.hpp"
#include "mm/plan/planner.hpp"

#include <vector>

namespace cuboid::detail {

/// Words of matrices that must be redistributed, per rank.
struct RedistributedWords {
  double moved = 0;  ///< words moved; words of C count on their way back, too
  double held = 0;   ///< words of additional copies and buffers
};

/// The layouts that a candidate needs, given the present layouts. Pure.
using LayoutsFor = RequiredLayouts (*)(const PlanCandidate& candidate,
                                       const ProductLayouts& stored);

/// The words that a candidate redistributes of matrices with the layouts `request.stored`; none if
/// that is unset. SUMMA redistributes operands panel by panel. Pure.
RedistributedWords redistributed_words(const PlanCandidate& candidate, LayoutsFor layouts_for,
                                       const PlanRequest& request);

/// The rotations of Cannon's and SD-Cannon's candidates.
std::vector<Rotation> rotations_of(const PlanCandidate& candidate);

/// Panels in memory of each operand that SUMMA brings.
double panels_held(PanelOrder order);

}  // namespace cuboid::detail
