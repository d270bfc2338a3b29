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

/// The state of a Communicator.
struct cuboid::Communicator::State {
  std::shared_ptr<detail::Engine> engine;
  std::shared_ptr<detail::Group> group;
  detail::GroupCostModel cost_model;
  detail::AlgorithmRules rules;
  detail::PlanCache plans;
  /// Of the world; nullptr on a single node.
  std::shared_ptr<const Discovery> discovery = {};
  std::shared_ptr<const detail::Parameters> parameters =
      {};  ///< measured; nullptr if there are none

  detail::Transport& transport() { return engine->transport(); }
};

namespace cuboid::detail {

/// The network that the ranks of a world are on; nullptr if all share a node. Collective over the
/// bootstrap.
std::shared_ptr<const Discovery> discover_network(Bootstrap& bootstrap, const Transport& world);

/// Starts a collective on these buffers, reusing the layout of an earlier equal call. Throws
/// Error(invalid_argument) if the call cannot be served and, with CUBOID_CHECK=collective,
/// Error(mismatch) if ranks make different calls.
Request start_collective(const Communicator& communicator, const Collective& collective,
                         const void* input, void* output);

/// Starts a collective and waits for it. Throws as starting and Request::wait().
void run_collective(const Communicator& communicator, const Collective& collective,
                    const void* input, void* output);

/// The same without comparing the call with those of other ranks, whatever CUBOID_CHECK says.
void run_unchecked(const Communicator& communicator, const Collective& collective,
                   const void* input, void* output);

/// Makes a plan that runs many times.
CollectivePlan plan_collective(const Communicator& communicator, const Collective& collective,
                               const void* input, void* output);

}  // namespace cuboid::detail
