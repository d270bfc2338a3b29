#pragma once

#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// A step that stands for consecutive ones of many pieces.
struct EvenStep {
  Step step;
  std::size_t pieces = 1;
};

/// Puts copies, or combinations, of pieces into few steps that do the same in the same order:
/// pieces that lie one after the other become one, and those that lie evenly a repetition, such as
/// the blocks of a line of a torus, of a plane as lines of it, and so on. So a schedule need not
/// list every block.
/// @param pieces      none with a repetition.
/// @param most_bytes  of a step of more than one piece: nothing else happens during a step.
std::vector<EvenStep> put_together(const std::vector<Step>& pieces, std::size_t most_bytes,
                                   ScheduleBuilder& builder);

}  // namespace cuboid::detail
