#pragma once

#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// A step that stands for many consecutive steps of one piece each.
struct EvenStep {
  Step step;
  std::size_t pieces = 1;
};

/// Puts copies or combinations of pieces into few steps that do the same in the same order, so that
/// a schedule need not list every block. Adjacent pieces become one piece. Pieces at equal
/// distances become a repetition: the blocks of a line of a torus; those of a plane, as a
/// repetition of lines.
/// @param pieces      steps without repetitions.
/// @param most_bytes  the most bytes of a step of several pieces, as no message progresses during a
///                    step.
std::vector<EvenStep> put_together(const std::vector<Step>& pieces, std::size_t most_bytes,
                                   ScheduleBuilder& builder);

}  // namespace cuboid::detail
