#pragma once

#include <cuboid/collectives/algorithm_rules.hpp>
#include <cuboid/collectives/collective.hpp>
#include <cuboid/collectives/collective_plan.hpp>
#include <cuboid/collectives/communicator.hpp>
#include <cuboid/collectives/engine.hpp>
#include <cuboid/collectives/group.hpp>
#include <cuboid/collectives/plan_cache.hpp>
#include <cuboid/collectives/request.hpp>
#include <cuboid/collectives/surroundings.hpp>

#include <memory>

namespace cuboid {

/// What stands behind a Communicator.
struct Communicator::State {
  std::shared_ptr<Engine> engine;
  std::shared_ptr<Group> group;
  Surroundings surroundings;
  AlgorithmRules rules;
  PlanCache plans;
  std::shared_ptr<const Parameters> parameters = {};  ///< measured; nullptr where there are none

  Transport& transport() { return engine->transport(); }
};

/// Starts a collective on these buffers: with the recipe made before for an equal call, or a new
/// one. Throws Error(invalid_argument) where the call cannot be served, and with
/// CUBOID_CHECK=collective Error(mismatch) where ranks make different calls.
Request start_collective(const Communicator& communicator, const Collective& collective,
                         const void* input, void* output);

/// Starts it and waits for its end. Throws what starting throws and Request::wait().
void run_collective(const Communicator& communicator, const Collective& collective,
                    const void* input, void* output);

/// The same without comparing the call with those of other ranks, whatever CUBOID_CHECK says.
void run_unchecked(const Communicator& communicator, const Collective& collective,
                   const void* input, void* output);

/// Makes it ready to run many times.
CollectivePlan plan_collective(const Communicator& communicator, const Collective& collective,
                               const void* input, void* output);

}  // namespace cuboid
