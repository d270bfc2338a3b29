#pragma once

#include <cuboid/collectives/buffer.hpp>
#include <cuboid/collectives/collective_plan.hpp>
#include <cuboid/collectives/communicator.hpp>
#include <cuboid/collectives/reduction.hpp>
#include <cuboid/collectives/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Returns once every rank has called it. Collective.
void barrier(const Communicator& communicator);
Request start_barrier(const Communicator& communicator);
CollectivePlan plan_barrier(const Communicator& communicator);

}  // namespace cuboid
