#pragma once

#include <cuboid/collective_plan.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/discovery.hpp>
#include <cuboid/request.hpp>

#include "collectives/algorithms/group_cost_model.hpp"
#include "collectives/communicator/plan_cache.hpp"
#include "collectives/engine/engine.hpp"
#include "collectives/selection/algorithm_rules.hpp"
#include "collectives/transport/group.hpp"
#include "collectives/types/collective.hpp"

#include <memory>

namespace cuboid::detail {

/// What stands behind a Communicator.
struct Communicator::State {
  std::shared_ptr<Engine> engine;
  std::shared_ptr<Group> group;
  GroupCostModel cost_model;
  AlgorithmRules rules;
  PlanCache plans;
  std::shared_ptr<const Discovery> discovery = {};    ///< of the world; nullptr on a single node
  std::shared_ptr<const Parameters> parameters = {};  ///< measured; nullptr where there are none

  Transport& transport() { return engine->transport(); }
};

/// What network the ranks of a world are on; nullptr where all share a node, and none matters.
/// Collective over the bootstrap.
std::shared_ptr<const Discovery> discover_network(Bootstrap& bootstrap, const Transport& world);

/// Starts a collective on these buffers: with the planned collective made before for an equal call,
/// or a new one. Throws Error(invalid_argument) where the call cannot be served, and with
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

}  // namespace cuboid::detail
