#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/discovery.hpp>
#include <cuboid/request.hpp>

#include "collectives/communicator/attributes.hpp"
#include "collectives/communicator/message_cache.hpp"
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
  /// Of the world; nullptr on a single node.
  std::shared_ptr<const Discovery> discovery = {};
  std::shared_ptr<const detail::Parameters> parameters =
      {};  ///< measured; nullptr if there are none
  /// Of this group, and of all that descend from the same communicator and parameters.
  std::shared_ptr<detail::ChoiceCache> choices = std::make_shared<detail::ChoiceCache>();
  std::shared_ptr<detail::ChoicesOfGroups> choices_of_groups =
      std::make_shared<detail::ChoicesOfGroups>();
  detail::MessageCache messages = {};
  detail::Attributes attributes = {};

  detail::Transport& transport() { return engine->transport(); }
};

namespace cuboid::detail {

/// The network that the ranks of a world are on; nullptr if all share a node. Collective over the
/// bootstrap.
std::shared_ptr<Discovery> discover_network(Bootstrap& bootstrap, const Transport& world);

/// Forgets what only people want to know, and the cables of a large network that can be told from
/// its shape.
void keep_what_groups_need(Discovery& discovery);

/// What can be known of a world without asking its ranks: whoever makes the machine knows it, as a
/// simulation does. Ranks that are one process share it.
struct KnownWorld {
  std::shared_ptr<const PeerInformation> peer_information;
  std::shared_ptr<const Discovery> discovery;
};

/// The communicator of all ranks of a world that is known. Not collective.
Communicator make_communicator(Bootstrap& bootstrap, const Environment& environment,
                               const KnownWorld& world);

/// Tells the communicator's other ranks that this one takes no further part in it, and why: their
/// waits in it, and this rank's, throw Error(peer_failed). Other communicators are well.
void give_up(const Communicator& communicator, std::string_view reason);

/// A collective call whose arguments have been checked, and the buffers that it works on. All its
/// functions throw Error(invalid_argument) if the call cannot be served.
struct CollectiveCall {
  const Communicator& communicator;
  Collective collective;
  const void* input = nullptr;
  void* output = nullptr;

  /// Starts the call, reusing the schedule of an earlier equal one. Throws Error(mismatch) if ranks
  /// make different calls and CUBOID_CHECK=collective.
  Request start() const;
  /// Starts the call and waits for it. Throws as start() and Request::wait().
  void run() const;
  /// As run(), without comparing the call with those of other ranks, whatever CUBOID_CHECK says.
  void run_unchecked() const;
  /// Makes a plan that runs many times.
  CollectivePlan plan() const;
};

}  // namespace cuboid::detail
