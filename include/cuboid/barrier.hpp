#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/collective_plan.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Returns once every rank has called it. Collective.
CUBOID_API void barrier(const Communicator& communicator);
CUBOID_API Request start_barrier(const Communicator& communicator);
CUBOID_API CollectivePlan plan_barrier(const Communicator& communicator);

}  // namespace cuboid
