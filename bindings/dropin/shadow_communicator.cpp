#include "bindings/dropin/shadow_communicator.hpp"

#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>

#include "bindings/dropin/agreement.hpp"
#include "bindings/dropin/progress.hpp"
#include "bindings/dropin/ticket_lock.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/selection/selection.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <string_view>

namespace cuboid::detail::drop_in {

namespace {

/// A transport and the ranks that it connects. It is kept until MPI ends, because setting it up is
/// slow.
struct World {
  std::int64_t number;  ///< the same on all its ranks, and unique among worlds
  std::vector<int> world_ranks;
  Communicator communicator;
};

struct Worlds {
  std::mutex mutex;  // held while a world is made or extended
  std::vector<World> all;
  std::int64_t made_here = 0;
};

Worlds& worlds() {
  static Worlds& one = *new Worlds;
  return one;
}

/// The most worlds of a process: each has a UCX worker with its connections.
constexpr std::size_t most_worlds = 16;
constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

/// The ranks of a communicator as ranks of a world; empty if the world lacks one of them.
std::vector<int> places_in(const World& world, const std::vector<int>& world_ranks) {
  std::vector<int> places;
  for (const int rank : world_ranks) {
    const auto found = std::ranges::find(world.world_ranks, rank);
    if (found == world.world_ranks.end()) return {};
    places.push_back(static_cast<int>(found - world.world_ranks.begin()));
  }
  return places;
}

const World* world_with(const std::vector<int>& world_ranks) {
  for (const World& world : worlds().all) {
    if (!places_in(world, world_ranks).empty()) return &world;
  }
  return nullptr;
}

/// The environment for waiting without a deadline: MPI does not treat a late rank as failed, so the
/// drop-in waits for it.
Environment patient_environment() {
  Environment environment = Environment::read();
  environment.timeout = std::chrono::duration<double>(1e9);
  environment.check = CheckLevel::arguments;
  environment.progress = ProgressBy::calls;
  return environment;
}

void take_down() {
  stop_going();
  const std::lock_guard guard(cuboid_lock());
  worlds().all.clear();
}

/// The values on which all ranks must agree before they proceed together.
struct Proposal {
  bool agreed = false;
  std::int64_t existing = none;  ///< the number of a world that contains all ranks
};

Proposal propose(const World* existing, bool ready, MPI_Comm communicator) {
  const std::int64_t number = existing != nullptr ? existing->number : none;
  const bool room = existing != nullptr || worlds().all.size() < most_worlds;
  std::array<std::int64_t, 3> words = {number, -number, ready && room ? 0 : 1};
  agree_on_greatest(std::span(words), communicator);
  return {words[2] == 0 && words[0] == -words[1], number};
}

const World& make_world(const CommunicatorRecord& record, MPI_Comm communicator) {
  Worlds& known = worlds();
  // A world is identified by its first rank: by that rank's number in MPI_COMM_WORLD, and by the
  // number of worlds that it had made before.
  std::array<std::int64_t, 1> number = {-1};
  if (record.rank == 0) {
    number[0] = (std::int64_t{record.processes->world_ranks.front()} << 32) + known.made_here++;
  }
  agree_on_greatest(std::span(number), communicator);
  Communicator made(bootstrap_over(communicator), patient_environment());
  if (made.transport() == "mpi" && !mpi_gives_turns() && !threads_at_once()) {
    throw Error(ErrorCode::unsupported,
                "messages over this MPI need a thread beside the program's, and so "
                "MPI_THREAD_MULTIPLE, which the program did not ask for");
  }
  keep_going(made);
  at_finalize(&take_down);
  return known.all.emplace_back(World{number[0], record.processes->world_ranks, std::move(made)});
}

std::optional<Operation> operation_of(Called called) {
  switch (called) {
    case Called::bcast: return Operation::broadcast;
    case Called::reduce: return Operation::reduce;
    case Called::allreduce: return Operation::allreduce;
    case Called::allgather:
    case Called::allgatherv: return Operation::allgather;
    case Called::reduce_scatter:
    case Called::reduce_scatter_block: return Operation::reduce_scatter;
    default: return std::nullopt;
  }
}

Collective collective_of(Operation operation, std::size_t bytes, int ranks) {
  Collective collective{.operation = operation, .type = Datatype::Kind::float64};
  const auto number = static_cast<std::size_t>(ranks);
  const std::size_t elements = std::max<std::size_t>(bytes / collective.type.bytes(), number);
  const std::size_t block = elements / number;
  collective.count = elements;
  if (operation == Operation::allgather) {
    collective.count = block;
    collective.output_blocks = BlockList::equal(ranks, block);
  } else if (operation == Operation::reduce_scatter) {
    collective.count = block;
    collective.input_blocks = BlockList::equal(ranks, block);
  }
  if (operation != Operation::broadcast && operation != Operation::allgather)
    collective.reduction = Reduction::Kind::sum;
  return collective;
}

}  // namespace

void survey(CommunicatorRecord& record, MPI_Comm communicator) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name = {};
  int length = 0;
  PMPI_Get_processor_name(name.data(), &length);
  const auto hash = static_cast<std::int64_t>(
      std::hash<std::string_view>()({name.data(), static_cast<std::size_t>(length)}) >> 2);
  std::array<std::int64_t, 2> words = {hash, -hash};
  agree_on_greatest(std::span(words), communicator);
  record.processes->surveyed = true;
  record.processes->on_one_node = words[0] == -words[1];
}

void make_shadow(CommunicatorRecord& record, MPI_Comm communicator) {
  const std::vector<int>& world_ranks = record.processes->world_ranks;
  std::unique_lock lock(worlds().mutex, std::try_to_lock);
  const World* const existing = lock.owns_lock() ? world_with(world_ranks) : nullptr;
  const Proposal proposal = propose(existing, lock.owns_lock(), communicator);
  if (!proposal.agreed) {
    record.processes->hopeless = !threads_at_once();
    return;
  }
  std::array<std::int64_t, 1> failed = {0};
  try {
    const World& world = existing != nullptr ? *existing : make_world(record, communicator);
    const auto places = places_in(world, world_ranks);
    const auto among_them = bootstrap_over(communicator);
    const std::lock_guard guard(cuboid_lock());
    record.ours = world.communicator.subset(places, *among_them);
    record.ours_for_requests = world.communicator.subset(places, *among_them);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuboid: rank %d: %s; the native library serves its calls\n",
                 world_ranks[static_cast<std::size_t>(record.rank)], error.what());
    failed[0] = 1;
  }
  agree_on_greatest(std::span(failed), communicator);
  if (failed[0] == 0) return;
  record.processes->hopeless = true;
  const std::lock_guard guard(cuboid_lock());
  record.drop_shadows();
}

std::optional<Communicator> make_another(const CommunicatorRecord& record, MPI_Comm communicator) {
  // As in make_shadow(): if two threads do this at once, they must not wait for each other's ranks.
  const std::unique_lock lock(worlds().mutex, std::try_to_lock);
  std::array<std::int64_t, 1> not_ready = {lock.owns_lock() ? 0 : 1};
  agree_on_greatest(std::span(not_ready), communicator);
  if (not_ready[0] != 0) return std::nullopt;
  std::vector<int> ranks(static_cast<std::size_t>(record.size));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto among_them = bootstrap_over(communicator);
  const std::lock_guard guard(cuboid_lock());
  try {
    return record.ours->subset(ranks, *among_them);
  } catch (const Error&) {
    return std::nullopt;  // no numbers are left for further communicators, on any rank
  }
}

std::optional<OnlineTrial> known_beforehand(const CommunicatorRecord& record, Called called,
                                            std::size_t bytes) {
  const auto operation = operation_of(called);
  if (!operation || !record.ours) return std::nullopt;
  const GroupCostModel& cost_model = record.ours->state().cost_model;
  const double link = cost_model.nodes.link_bytes_per_second;
  if (cost_model.nodes.nodes() < 2 || !cost_model.nodes.shape || link <= 0) return std::nullopt;
  const auto predicted = choices(collective_of(*operation, bytes, record.size), cost_model);
  if (predicted.empty()) return std::nullopt;
  const double across_one_link = static_cast<double>(bytes) / link;
  const double others = *operation == Operation::allreduce ? 2 * across_one_link : across_one_link;
  // If the time on cables is not most of the total, measuring is more reliable.
  constexpr double mostly_cables = 0.01;
  constexpr double clear = 1.5;
  const double ours = predicted.front().seconds;
  if (others <= mostly_cables || ours * clear >= others) return std::nullopt;
  return OnlineTrial::won_by_ours(others - ours);
}

}  // namespace cuboid::detail::drop_in
