#include <cuboid/error.hpp>
#include <cuboid/neighbourhood.hpp>

#include "base/saturating.hpp"
#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

using Links = std::vector<Neighbourhood::NeighbourLink>;

// If a rank is named several times, its k-th mention stands for message k between the two ranks.
Links numbered(std::span<const int> ranks) {
  std::map<int, int> times;
  Links links;
  for (const int rank : ranks)
    links.push_back({rank, rank == Neighbourhood::nobody ? 0 : times[rank]++});
  return links;
}

[[noreturn]] void refuse(const Communicator& communicator, const char* operation,
                         const std::string& what) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("rank {}: {}: {}", communicator.rank(), operation, what));
}

void require_neighbours(const Communicator& communicator, const char* operation,
                        const Neighbourhood& neighbourhood) {
  for (const Links* links : {&neighbourhood.sources(), &neighbourhood.destinations()}) {
    for (const auto& link : *links)
      if (link.rank != Neighbourhood::nobody) require_peer(communicator, operation, link.rank);
  }
}

// One side of the exchange: the place of each neighbour's block.
struct Side {
  const Links& links;
  std::vector<std::size_t> counts;
  std::vector<std::size_t> displacements;
};

Side side_of(const Communicator& communicator, const char* operation, const char* name,
             const Links& links, std::size_t buffer_count, Blocks blocks) {
  const std::size_t neighbours = links.size();
  if (blocks.counts.size() != neighbours ||
      (!blocks.displacements.empty() && blocks.displacements.size() != neighbours)) {
    refuse(communicator, operation,
           fmt::format("{}: {} counts and {} displacements for {} neighbours; give one for each",
                       name, blocks.counts.size(), blocks.displacements.size(), neighbours));
  }
  Side side{links,
            {blocks.counts.begin(), blocks.counts.end()},
            {blocks.displacements.begin(), blocks.displacements.end()}};
  if (blocks.displacements.empty()) {
    side.displacements.resize(neighbours);
    std::exclusive_scan(side.counts.begin(), side.counts.end(), side.displacements.begin(),
                        std::size_t{0});
  }
  for (std::size_t k = 0; k < neighbours; ++k) {
    if (side.counts[k] > buffer_count || side.displacements[k] > buffer_count - side.counts[k]) {
      refuse(communicator, operation,
             fmt::format("{}: block {} ({} elements from element {}) exceeds the buffer of {}",
                         name, k, side.counts[k], side.displacements[k], buffer_count));
    }
  }
  return side;
}

// Checks that a buffer has exactly one block of `count` elements for each neighbour.
void require_blocks_of(const Communicator& communicator, const char* operation, const char* name,
                       std::size_t actual, std::size_t neighbours, std::size_t count) {
  if (actual == saturating_product(neighbours, count)) return;
  refuse(communicator, operation,
         fmt::format("{} has {} elements where {} neighbours with {} each need {}", name, actual,
                     neighbours, count, saturating_product(neighbours, count)));
}

ScheduleBuilder messages_of(const Communicator& communicator, const char* operation,
                            const Side& send, const Side& receive, std::size_t element) {
  ScheduleBuilder steps;
  const auto step = [&](Step::Kind kind, const Side& side, std::size_t k) {
    const std::size_t offset = side.displacements[k] * element;
    return Step{.kind = kind,
                .peer = side.links[k].rank,
                .channel = static_cast<std::uint32_t>(side.links[k].number),
                .bytes = side.counts[k] * element,
                .source = {Area::input, offset},
                .destination = {Area::output, offset}};
  };
  for (std::size_t k = 0; k < receive.links.size(); ++k) {
    const int rank = receive.links[k].rank;
    if (rank != Neighbourhood::nobody && rank != communicator.rank())
      steps.add(step(Step::Kind::receive, receive, k), {});
  }
  for (std::size_t k = 0; k < send.links.size(); ++k) {
    const auto& link = send.links[k];
    if (link.rank == Neighbourhood::nobody) continue;
    if (link.rank != communicator.rank()) {
      steps.add(step(Step::Kind::send, send, k), {});
      continue;
    }
    const auto mine = std::ranges::find_if(receive.links, [&](const auto& source) {
      return source.rank == link.rank && source.number == link.number;
    });
    const auto block = static_cast<std::size_t>(mine - receive.links.begin());
    if (mine == receive.links.end() || receive.counts[block] != send.counts[k]) {
      refuse(communicator, operation,
             "what this rank sends itself it does not receive; name it as often among the sources "
             "as among the destinations, with the same counts");
    }
    Step copy = step(Step::Kind::copy, send, k);
    copy.destination.offset = receive.displacements[block] * element;
    steps.add(copy, {});
  }
  return steps;
}

CollectivePlan plan_neighbours(const Communicator& communicator, const char* operation,
                               const Neighbourhood& neighbourhood, const ConstBuffer& input,
                               Blocks send, const Buffer& output, Blocks receive) {
  require_neighbours(communicator, operation, neighbourhood);
  if (input.type != output.type) {
    refuse(communicator, operation,
           fmt::format("input is of type {}, output of {}; give both the same",
                       to_string(input.type), to_string(output.type)));
  }
  if (overlap(input.data, input.bytes(), output.data, output.bytes()))
    refuse(communicator, operation, "input and output overlap; use separate memory");
  const Side sends =
      side_of(communicator, operation, "input", neighbourhood.destinations(), input.count, send);
  const Side receives =
      side_of(communicator, operation, "output", neighbourhood.sources(), output.count, receive);
  auto planned = std::make_shared<PlannedCollective>();
  planned->schedule =
      messages_of(communicator, operation, sends, receives, input.type.bytes()).finish();
  planned->operation =
      fmt::format("{} with {} neighbours", operation, sends.links.size() + receives.links.size());
  planned->algorithm = "direct";
  Communicator::State& state = communicator.state();
  const Engine::Lock lock = state.engine->lock();
  auto execution = std::make_shared<Execution>(state.engine, state.group, std::move(planned));
  execution->bind(input.data, output.data);
  return CollectivePlan(std::move(execution));
}

}  // namespace

Neighbourhood Neighbourhood::graph(std::span<const int> sources,
                                   std::span<const int> destinations) {
  Neighbourhood neighbourhood;
  neighbourhood.sources_ = numbered(sources);
  neighbourhood.destinations_ = numbered(destinations);
  return neighbourhood;
}

Neighbourhood Neighbourhood::grid(const Shape& grid, int rank) {
  Neighbourhood neighbourhood;
  const Coordinate here = grid.coordinate(rank);
  for (int axis = 0; axis < grid.dimensions(); ++axis) {
    for (const int direction : {-1, 1}) {
      const auto a = static_cast<std::size_t>(axis);
      const int extent = grid.extent(axis);
      Coordinate there = here;
      there[a] += direction;
      const bool inside = there[a] >= 0 && there[a] < extent;
      there[a] = (there[a] + extent) % extent;
      const int neighbour =
          inside || grid.wraps(axis) ? static_cast<int>(grid.index(there)) : nobody;
      // Messages are numbered by the direction that they come from: a message sent downwards comes
      // from above.
      const int below = 2 * axis;
      const int above = below + 1;
      neighbourhood.sources_.push_back({neighbour, direction < 0 ? below : above});
      neighbourhood.destinations_.push_back({neighbour, direction < 0 ? above : below});
    }
  }
  return neighbourhood;
}

CollectivePlan plan_neighbour_allgather(const Communicator& communicator,
                                        const Neighbourhood& neighbourhood, ConstBuffer input,
                                        Buffer output) {
  constexpr const char* operation = "neighbour_allgather";
  const std::size_t sources = neighbourhood.sources().size();
  require_blocks_of(communicator, operation, "output", output.count, sources, input.count);
  const std::vector<std::size_t> received(sources, input.count);
  // Each destination gets the same block.
  const std::vector<std::size_t> sent(neighbourhood.destinations().size(), input.count);
  const std::vector<std::size_t> from_the_start(sent.size(), 0);
  return plan_neighbours(communicator, operation, neighbourhood, input, {sent, from_the_start},
                         output, {received});
}

CollectivePlan plan_neighbour_alltoall(const Communicator& communicator,
                                       const Neighbourhood& neighbourhood, ConstBuffer input,
                                       Buffer output) {
  constexpr const char* operation = "neighbour_alltoall";
  const std::size_t destinations = neighbourhood.destinations().size();
  const std::size_t sources = neighbourhood.sources().size();
  const std::size_t count = destinations > 0 ? input.count / destinations
                            : sources > 0    ? output.count / sources
                                             : 0;
  require_blocks_of(communicator, operation, "input", input.count, destinations, count);
  require_blocks_of(communicator, operation, "output", output.count, sources, count);
  const std::vector<std::size_t> sent(destinations, count);
  const std::vector<std::size_t> received(sources, count);
  return plan_neighbours(communicator, operation, neighbourhood, input, {sent}, output, {received});
}

CollectivePlan plan_neighbour_alltoallv(const Communicator& communicator,
                                        const Neighbourhood& neighbourhood, ConstBuffer input,
                                        Blocks send, Buffer output, Blocks receive) {
  return plan_neighbours(communicator, "neighbour_alltoallv", neighbourhood, input, send, output,
                         receive);
}

Request start_neighbour_allgather(const Communicator& communicator,
                                  const Neighbourhood& neighbourhood, ConstBuffer input,
                                  Buffer output, OnStream after) {
  return plan_neighbour_allgather(communicator, neighbourhood, input, output).start(after);
}

Request start_neighbour_alltoall(const Communicator& communicator,
                                 const Neighbourhood& neighbourhood, ConstBuffer input,
                                 Buffer output, OnStream after) {
  return plan_neighbour_alltoall(communicator, neighbourhood, input, output).start(after);
}

Request start_neighbour_alltoallv(const Communicator& communicator,
                                  const Neighbourhood& neighbourhood, ConstBuffer input,
                                  Blocks send, Buffer output, Blocks receive, OnStream after) {
  return plan_neighbour_alltoallv(communicator, neighbourhood, input, send, output, receive)
      .start(after);
}

void neighbour_allgather(const Communicator& communicator, const Neighbourhood& neighbourhood,
                         ConstBuffer input, Buffer output) {
  start_neighbour_allgather(communicator, neighbourhood, input, output).wait();
}

void neighbour_alltoall(const Communicator& communicator, const Neighbourhood& neighbourhood,
                        ConstBuffer input, Buffer output) {
  start_neighbour_alltoall(communicator, neighbourhood, input, output).wait();
}

void neighbour_alltoallv(const Communicator& communicator, const Neighbourhood& neighbourhood,
                         ConstBuffer input, Blocks send, Buffer output, Blocks receive) {
  start_neighbour_alltoallv(communicator, neighbourhood, input, send, output, receive).wait();
}

}  // namespace cuboid
