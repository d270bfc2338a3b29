#include <cuboid/communicator.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/communicator/exchanges.hpp"
#include "collectives/communicator/measured_parameters.hpp"
#include "collectives/communicator/survivors.hpp"
#include "topology/discovery/discover_from.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

using SharedParameters = std::shared_ptr<const Parameters>;
using SharedDiscovery = std::shared_ptr<const Discovery>;
using SharedChoices = std::shared_ptr<ChoicesOfGroups>;

std::shared_ptr<Communicator::State> make_state(
    std::shared_ptr<Engine> engine, std::uint32_t context, std::vector<int> world_ranks, int rank,
    AlgorithmRules rules, SharedDiscovery discovery, SharedParameters parameters,
    SharedChoices choices_of_groups, std::optional<std::uint64_t> generation = {}) {
  Transport& transport = engine->transport();
  GroupCostModel cost_model =
      group_cost_model_of(discovery ? nodes_of_group(*discovery, world_ranks)
                                    : GroupNodes::one_node(static_cast<int>(world_ranks.size())),
                          transport.ranks_per_core(), parameters.get());
  auto group = std::make_shared<Group>(engine->contexts(), context, std::move(world_ranks), rank);
  if (generation) {
    engine->contexts()->set_generation(*generation);
    group->set_board(transport.make_board(context, group->world_ranks(), rank, *generation));
  }
  cost_model.shares_memory = group->board() != nullptr;
  auto choices = cost_model.shares_memory ? std::make_shared<ChoiceCache>()
                                          : choices_of_groups->of(cost_model.nodes);
  return std::make_shared<Communicator::State>(Communicator::State{std::move(engine),
                                                                   std::move(group),
                                                                   std::move(cost_model),
                                                                   std::move(rules),
                                                                   {},
                                                                   std::move(discovery),
                                                                   std::move(parameters),
                                                                   std::move(choices),
                                                                   std::move(choices_of_groups)});
}

std::shared_ptr<Communicator::State> make_world(Bootstrap& bootstrap,
                                                const Environment& environment,
                                                const KnownWorld& known = {}) {
  AlgorithmRules rules;
  if (environment.algorithm)
    rules = AlgorithmRules::parse(*environment.algorithm, "CUBOID_ALGORITHM");
  check_variables(environment);
  auto transport = std::make_unique<Transport>(bootstrap, environment, known.peer_information);
  SharedDiscovery discovery = known.discovery;
  SharedParameters parameters;
  if (!discovery) {
    auto discovered = discover_network(bootstrap, *transport);
    parameters = load_parameters(bootstrap, *transport, discovered.get());
    if (discovered) keep_what_groups_need(*discovered);
    discovery = std::move(discovered);
  }
  auto engine = std::make_shared<Engine>(std::move(transport));
  std::vector<int> everyone(static_cast<std::size_t>(bootstrap.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  return make_state(std::move(engine), 0, std::move(everyone), bootstrap.rank(), std::move(rules),
                    std::move(discovery), std::move(parameters),
                    std::make_shared<ChoicesOfGroups>(), 1);
}

}  // namespace

Communicator detail::make_communicator(Bootstrap& bootstrap, const Environment& environment,
                                       const KnownWorld& world) {
  return Communicator(make_world(bootstrap, environment, world));
}

Communicator::Communicator(std::unique_ptr<Bootstrap> bootstrap, Environment environment)
    : state_(make_world(*bootstrap, environment)) {}

int Communicator::rank() const {
  return state_->group->rank();
}
int Communicator::size() const {
  return state_->group->size();
}

Communicator Communicator::split(int colour, int key) const {
  struct Member {
    int colour;
    int key;
    int rank;
    std::uint64_t generation;
  };
  std::vector<Member> members =
      allgather_value(*this, Member{colour, key, rank(), state_->engine->contexts()->generation()});

  // The same number serves all new groups, because no two of them share a rank.
  std::vector<std::uint64_t> free = state_->engine->contexts()->free_mask();
  allreduce_in_place(*this, free, Reduction::Kind::bitwise_and);
  const std::uint32_t context = ContextNumbers::lowest(free);

  if (colour < 0) return Communicator(std::shared_ptr<State>());
  std::erase_if(members, [&](const Member& member) { return member.colour != colour; });
  std::stable_sort(members.begin(), members.end(),
                   [](const Member& a, const Member& b) { return a.key < b.key; });
  const std::uint64_t generation =
      1 + std::ranges::max_element(members, {}, &Member::generation)->generation;
  std::vector<int> world_ranks;
  int new_rank = 0;
  for (const Member& member : members) {
    if (member.rank == rank()) new_rank = static_cast<int>(world_ranks.size());
    world_ranks.push_back(state_->group->world_rank(member.rank));
  }
  return Communicator(make_state(state_->engine, context, std::move(world_ranks), new_rank,
                                 state_->rules, state_->discovery, state_->parameters,
                                 state_->choices_of_groups, generation));
}

Communicator Communicator::subset(std::span<const int> ranks, Bootstrap& among_them) const {
  std::vector<int> world_ranks;
  int new_rank = -1;
  for (const int member : ranks) {
    require_peer(*this, "subset", member);
    if (member == rank()) new_rank = static_cast<int>(world_ranks.size());
    world_ranks.push_back(state_->group->world_rank(member));
  }
  if (new_rank != among_them.rank() || static_cast<int>(ranks.size()) != among_them.size()) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("rank {}: subset: its {} ranks are not those of the bootstrap, in which "
                    "this is rank {} of {}; give the same ranks in the same order",
                    rank(), ranks.size(), among_them.rank(), among_them.size()));
  }
  std::vector<std::uint64_t> free = state_->engine->contexts()->free_mask();
  const std::size_t words = free.size();
  std::uint64_t generation = state_->engine->contexts()->generation();
  std::vector<std::uint64_t> mine = free;
  mine.push_back(generation);
  for (const auto& said : among_them.allgather(std::as_bytes(std::span(mine)))) {
    std::vector<std::uint64_t> theirs(words + 1);
    std::memcpy(theirs.data(), said.data(), std::min(said.size(), theirs.size() * sizeof mine[0]));
    generation = std::max(generation, theirs.back());
    std::transform(free.begin(), free.end(), theirs.begin(), free.begin(), std::bit_and<>());
  }
  return Communicator(make_state(state_->engine, ContextNumbers::lowest(free),
                                 std::move(world_ranks), new_rank, state_->rules, state_->discovery,
                                 state_->parameters, state_->choices_of_groups, generation + 1));
}

Communicator Communicator::with_algorithms(std::string_view rules) const {
  AlgorithmRules parsed;
  if (!rules.empty()) parsed = AlgorithmRules::parse(rules, "algorithms");
  parsed.insist();
  return Communicator(std::make_shared<State>(State{state_->engine,
                                                    state_->group,
                                                    state_->cost_model,
                                                    std::move(parsed),
                                                    {},
                                                    state_->discovery,
                                                    state_->parameters,
                                                    state_->choices,
                                                    state_->choices_of_groups}));
}

Communicator Communicator::duplicate() const {
  return split(0, rank());
}

Communicator Communicator::shrink() const {
  Group& group = *state_->group;
  const Engine::Lock lock = state_->engine->lock();
  const Survivors survivors = agree_on_survivors(*state_->engine, group);
  group.break_off(fmt::format("rank {} has called shrink()", rank()));
  state_->transport().peers().forget_cause();
  std::vector<int> world_ranks;
  int new_rank = 0;
  for (const int survivor : survivors.ranks) {
    if (survivor == rank()) new_rank = static_cast<int>(world_ranks.size());
    world_ranks.push_back(group.world_rank(survivor));
  }
  return Communicator(make_state(state_->engine, survivors.context, std::move(world_ranks),
                                 new_rank, state_->rules, state_->discovery, state_->parameters,
                                 state_->choices_of_groups));
}

bool Communicator::same_node(int peer) const {
  require_peer(*this, "same_node", peer);
  return state_->transport().same_node(state_->group->world_rank(peer));
}

std::string Communicator::host(int peer) const {
  require_peer(*this, "host", peer);
  return std::string(state_->transport().host(state_->group->world_rank(peer)));
}

std::string_view Communicator::transport() const {
  return state_->transport().carrier().name();
}

Traffic Communicator::traffic(int peer) const {
  require_peer(*this, "traffic", peer);
  const Engine::Lock lock = state_->engine->lock();
  return state_->transport().messages().traffic(state_->group->world_rank(peer));
}

Traffic Communicator::traffic() const {
  Traffic total;
  for (int peer = 0; peer < size(); ++peer) total += traffic(peer);
  return total;
}

bool Communicator::progress() const {
  const Engine::Lock lock = state_->engine->lock();
  return state_->engine->progress();
}

void Communicator::revoke(std::string_view reason) const noexcept {
  const Engine::Lock lock = state_->engine->lock();
  state_->transport().peers().revoke(reason);
}

void Communicator::give_up(std::string_view reason) const {
  const Engine::Lock lock = state_->engine->lock();
  Group& group = *state_->group;
  if (!group.broken().empty()) return;
  group.break_off(fmt::format("rank {} has given it up: {}", group.rank(), reason));
  state_->transport().peers().give_up(group.context(), group.world_ranks(), ErrorCode::peer_failed,
                                      reason);
}

void Communicator::throw_if_any_failed(const Error* local_error) const {
  constexpr int none = std::numeric_limits<int>::max();
  std::array<int, 1> first = {local_error != nullptr ? rank() : none};
  allreduce_in_place(*this, first, Reduction::Kind::minimum);
  if (first[0] == none) return;

  std::string message = rank() == first[0] ? local_error->what() : "";
  struct Header {
    ErrorCode code;
    std::size_t length;
  };
  std::array<Header, 1> header = {
      Header{local_error != nullptr ? local_error->code() : ErrorCode{}, message.size()}};
  broadcast_in_place(*this, header, first[0]);
  message.resize(header[0].length);
  broadcast_in_place(*this, message, first[0]);
  throw Error(header[0].code, message);
}

const Environment& Communicator::environment() const {
  return state_->transport().environment();
}
const Logger& Communicator::logger() const {
  return state_->transport().logger();
}

}  // namespace cuboid
