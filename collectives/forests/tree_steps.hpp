#pragma once

#include <cuboid/shape.hpp>

#include "collectives/forests/grouped.hpp"
#include "collectives/schedules/forest.hpp"
#include "models/messages/hockney.hpp"

namespace cuboid::detail {

/// What steps_of() counts, in closed form: a few operations, however many ranks there are. The root
/// is rank 0; of all but the in-order tree the steps are the same from any other.
using StepsShape = TreeSteps (*)(int ranks, Flow flow);

TreeSteps flat_steps(int ranks, Flow flow);
TreeSteps chain_steps(int ranks, Flow flow);
TreeSteps binomial_steps(int ranks, Flow flow);
TreeSteps binary_steps(int ranks, Flow flow);
TreeSteps in_order_steps(int ranks, Flow flow);
TreeSteps knomial_steps(int ranks, int radix, Flow flow);
TreeSteps double_binary_steps(int ranks, Flow flow);

/// Of `groups` groups: of the tree among their leaders, then those inside the largest.
TreeSteps grouped_steps(int groups, const TreeSteps& leaders, const TreeSteps& members, Flow flow);

/// Of halving_tree(): ⌈log2 l⌉ for each axis at most.
TreeSteps halving_steps(const Shape& shape, Flow flow);

}  // namespace cuboid::detail
