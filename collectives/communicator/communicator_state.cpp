#include "collectives/communicator/communicator_state.hpp"

#include "collectives/communicator/call_check.hpp"
#include "collectives/selection/plan_for_rank.hpp"
#include "topology/discovery/doubts.hpp"
#include "topology/discovery/induced.hpp"

#include <chrono>
#include <string>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

PlanCache::CachedPlan& entry_for(Communicator::State& state, const Collective& collective) {
  if (PlanCache::CachedPlan* entry = state.plans.find(collective)) return *entry;
  const Choice choice = state.choices->select(collective, state.cost_model, state.rules);
  const Proof proof =
      state.transport().environment().compares_calls() ? Proof::of_all_ranks : Proof::none;
  auto planned = std::make_shared<PlannedCollective>(
      plan_for_rank(collective, state.cost_model, state.group->rank(), choice, proof));
  // Who names an algorithm gets its steps, on buffers in devices' memory, too.
  if (choice.demanded != nullptr) planned->direct.reset();
  const Logger& logger = state.transport().logger();
  const bool replaced = choice.demanded != nullptr && choice.demanded != choice.algorithm;
  if (replaced && state.group->rank() == 0) {
    logger.warn(fmt::format(
        "{} over {} ranks: CUBOID_ALGORITHM requests {}, which cannot serve this group or "
        "reduction; {} runs instead",
        planned->operation, state.group->size(), choice.demanded->name, choice.algorithm->name));
  }
  if (logger.enabled(LogLevel::info) && state.group->rank() == 0) {
    logger.info(fmt::format("{} over {} ranks: {}, {:.1f} us predicted", planned->operation,
                            state.group->size(), describe(choice), choice.seconds * 1e6));
  }
  return state.plans.add(collective, std::move(planned));
}

const std::shared_ptr<Execution>& idle_execution(Communicator::State& state,
                                                 PlanCache::CachedPlan& entry) {
  for (const auto& execution : entry.executions) {
    if (PlanCache::is_idle(execution)) return execution;
  }
  const auto& added = entry.executions.emplace_back(
      std::make_shared<Execution>(state.engine, state.group, entry.planned));
  state.plans.free_scratch(entry);
  return added;
}

}  // namespace

std::shared_ptr<Discovery> discover_network(Bootstrap& bootstrap, const Transport& world) {
  if (world.one_node()) return nullptr;
  const AllGather all_gather = [&](std::span<const std::byte> mine) {
    return bootstrap.allgather(mine);
  };
  auto discovery = std::make_shared<Discovery>(
      discover(world.rank(), world.size(), all_gather, world.environment()));
  if (world.rank() == 0) {
    world.logger().info(fmt::format("network: {}", discovery->evidence));
    for (const std::string& doubt : doubts_about(*discovery)) world.logger().warn(doubt);
  }
  return discovery;
}

void keep_what_groups_need(Discovery& discovery) {
  constexpr int many_nodes = 4096;
  discovery.hosts = {};
  // A vector that is assigned {} keeps its memory.
  discovery.insides = std::vector<Node>();
  discovery.bindings = std::vector<Binding>();
  discovery.groups = std::vector<NodeGroup>();
  if (discovery.network.nodes() > many_nodes && is_told_by_shape(discovery)) discovery.network = {};
}

Request CollectiveCall::start(OnStream after) const {
  if (communicator.environment().compares_calls()) require_same_call(communicator, collective);
  Communicator::State& state = communicator.state();
  state.engine->require_one_thread();
  state.engine->work_between_calls();
  const Engine::Lock lock = state.engine->lock();
  std::shared_ptr<Execution> execution = idle_execution(state, entry_for(state, collective));
  execution->bind(input, output);
  execution->start(after);
  return Request(std::move(execution));
}

void CollectiveCall::run() const {
  if (communicator.environment().compares_calls()) require_same_call(communicator, collective);
  run_unchecked();
}

void CollectiveCall::run_unchecked() const {
  Communicator::State& state = communicator.state();
  state.engine->require_one_thread();
  const Engine::Lock lock = state.engine->lock();
  Execution& execution = *idle_execution(state, entry_for(state, collective));
  execution.bind(input, output);
  execution.start();
  state.engine->wait(execution, Clock::time_point::max());
  execution.throw_if_failed();
}

CollectivePlan CollectiveCall::plan() const {
  Communicator::State& state = communicator.state();
  const Engine::Lock lock = state.engine->lock();
  auto execution =
      std::make_shared<Execution>(state.engine, state.group, entry_for(state, collective).planned);
  execution->bind(input, output);
  if (!communicator.environment().compares_calls()) return CollectivePlan(std::move(execution));
  return CollectivePlan(std::move(execution),
                        [communicator = communicator, collective = collective] {
                          require_same_call(communicator, collective);
                        });
}

}  // namespace cuboid::detail
