#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/discovery.hpp>
#include <cuboid/request.hpp>

#include "collectives/communicator/attributes.hpp"
#include "collectives/communicator/plan_cache.hpp"
#include "collectives/engine/engine.hpp"
#include "collectives/evaluation/group_cost_model.hpp"
#include "collectives/selection/algorithm_rules.hpp"
#include "collectives/selection/choice_cache.hpp"
#include "collectives/transport/group.hpp"
#include "collectives/types/collective.hpp"

#include <memory>
#include <string_view>

/// The state of a Communicator.
struct cuboid::Communicator::State {
  std::shared_ptr<detail::Engine> engine;
  std::shared_ptr<detail::Group> group;
  detail::GroupCostModel cost_model;
  detail::AlgorithmRules rules;
  detail::PlanCache plans;
  /// The network of the world; nullptr on a single node.
  std::shared_ptr<const Discovery> discovery = {};
  /// The measured parameters; nullptr if there are none.
  std::shared_ptr<const detail::Parameters> parameters = {};
  /// The choices of this group, and the choices of all groups that come from the same communicator
  /// and parameters.
  std::shared_ptr<detail::ChoiceCache> choices = std::make_shared<detail::ChoiceCache>();
  std::shared_ptr<detail::ChoicesOfGroups> choices_of_groups =
      std::make_shared<detail::ChoicesOfGroups>();
  detail::MessageCache messages = {};
  detail::Attributes attributes = {};

  detail::Transport& transport() { return engine->transport(); }
};

namespace cuboid::detail {

/// Discovers the network that the ranks of a world are on. Returns nullptr if all ranks share a
/// node. Collective over the bootstrap.
std::shared_ptr<Discovery> discover_network(Bootstrap& bootstrap, const Transport& world);

/// Forgets what only people want to know. Forgets the cables of a large network, too, if its shape
/// tells them.
void keep_what_groups_need(Discovery& discovery);

/// What is known of a world without asking its ranks. Whoever makes the machine knows it, for
/// example a simulation. Ranks that are threads of one process share it.
struct KnownWorld {
  std::shared_ptr<const PeerInformation> peer_information;
  std::shared_ptr<const Discovery> discovery;
};

/// Makes the communicator of all ranks of a known world. Not collective.
Communicator make_communicator(Bootstrap& bootstrap, const Environment& environment,
                               const KnownWorld& world);

/// A collective call whose arguments have been checked, and the buffers that it works on. All its
/// functions throw Error(invalid_argument) if the call cannot be served.
struct CollectiveCall {
  const Communicator& communicator;
  Collective collective;
  const void* input = nullptr;
  void* output = nullptr;

  /// Starts the call. Reuses the schedule of an earlier equal call. Throws Error(mismatch) if ranks
  /// make different calls and CUBOID_CHECK=collective.
  /// @param after  as for Execution::start()
  Request start(OnStream after = {}) const;
  /// Starts the call and waits for it. Throws like start() and Request::wait().
  void run() const;
  /// Like run(), but never compares the call with the other ranks' calls, whatever CUBOID_CHECK
  /// says.
  void run_unchecked() const;
  /// Makes a plan that runs many times.
  CollectivePlan plan() const;
};

}  // namespace cuboid::detail
