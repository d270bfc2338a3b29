#include "collectives/calibration/contention_samples.hpp"

#include <cuboid/collectives.hpp>

#include "collectives/calibration/probe.hpp"
#include "collectives/calibration/probe_places.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <thread>

namespace cuboid::detail {

namespace {

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// The ranks of this rank's node.
Communicator own_node(const Communicator& world) {
  const std::vector<int> node_of_rank = world.state().cost_model.nodes.node_of_rank();
  return world.split(node_of_rank[static_cast<std::size_t>(world.rank())], world.rank());
}

}  // namespace

std::vector<double> token_hops(const Communicator& world) {
  constexpr int repetitions = 20;
  constexpr int times_round = 10;
  const Communicator ring = own_node(world);
  std::vector<double> hops;
  for (int i = 0; i < repetitions; ++i) hops.push_back(token_hop(ring, times_round));
  allreduce(world, hops, hops, Reduction::Kind::maximum);
  return hops;
}

std::vector<MessageSample> crowded_rounds(const Communicator& world, Sent sent) {
  // All sizes are measured several times in turn, so that a slow moment of the machine affects only
  // a part of the runs of each size.
  constexpr int passes = 3;
  constexpr int runs = 4;
  constexpr std::size_t bytes_per_run = 8 << 20;
  const GroupCostModel& cost_model = world.state().cost_model;
  const Communicator ring = own_node(world);
  std::map<std::size_t, std::vector<double>> seconds_of;  // by size
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t bytes = Burst{}.bytes; bytes <= longest_in_memory; bytes *= 2) {
      const int rounds_per_run =
          static_cast<int>(std::clamp<std::size_t>(bytes_per_run / bytes, 3, 64));
      for (int run = 0; run < runs; ++run)
        seconds_of[bytes].push_back(exchange_round(ring, bytes, rounds_per_run, sent));
    }
  }
  std::vector<MessageSample> samples;
  for (auto& [bytes, seconds] : seconds_of) {
    allreduce(world, seconds, seconds, Reduction::Kind::maximum);
    samples.push_back({bytes, median_of(seconds).value / cost_model.ranks_per_core});
  }
  return samples;
}

void EveryoneToEveryone::add(const EveryoneToEveryone& other) {
  nodes = other.nodes;
  block_bytes = other.block_bytes;
  append(seconds, other.seconds);
}

std::size_t crowding_block_bytes(double byte_seconds) {
  constexpr double seconds_of_a_block = 0.03;  // on a link, which several blocks cross
  constexpr double longest_block = 1 << 20;
  return static_cast<std::size_t>(
      std::clamp(seconds_of_a_block / byte_seconds, 64.0, longest_block));
}

EveryoneToEveryone everyone_to_everyone(const Communicator& world, std::size_t block_bytes) {
  constexpr int most_nodes = 32;
  constexpr int runs = 3;
  std::vector<int> firsts;
  for (const auto& ranks : world.state().cost_model.nodes.ranks_of_node)
    firsts.push_back(ranks.front());
  std::ranges::sort(firsts);
  if (firsts.size() > most_nodes) firsts.resize(most_nodes);
  const bool takes_part = std::ranges::binary_search(firsts, world.rank());
  const Communicator group =
      world.with_algorithms("alltoall:direct").split(takes_part ? 0 : -1, world.rank());
  EveryoneToEveryone sample;
  if (takes_part) {
    sample.nodes = group.state().cost_model.nodes;
    sample.block_bytes = block_bytes;
    const std::vector<std::byte> outgoing(sample.block_bytes * firsts.size());
    std::vector<std::byte> incoming(outgoing.size());
    CollectivePlan plan = plan_alltoall(group, outgoing, incoming);
    // The first run does not count, because its links were idle and let a burst through.
    for (int run = 0; run <= runs; ++run) {
      barrier(group);
      const double seconds = run_seconds(plan);
      if (run > 0) sample.seconds.push_back(seconds);
    }
    allreduce(group, sample.seconds, sample.seconds, Reduction::Kind::maximum);
  }
  barrier(world);
  return sample;
}

namespace {

/// The core seconds of a rank per round, by run. `exchange(rounds)` runs the rounds, in each of
/// which every rank sends `bytes` bytes over a cable, and returns the seconds of a round.
template <class Exchange>
std::vector<double> crowded_runs(const Communicator& world, std::size_t bytes,
                                 const Exchange& exchange) {
  constexpr int runs = 7;
  constexpr std::size_t bytes_per_run = 64 << 10;
  // The pause lets links earn burst credit (see TokenBuckets), so that all runs begin alike.
  constexpr std::chrono::milliseconds pause{20};
  const auto rounds_per_run =
      static_cast<int>(std::clamp<std::size_t>(bytes_per_run / bytes, 1, 16));
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    std::this_thread::sleep_for(pause);
    seconds.push_back(exchange(rounds_per_run));
  }
  allreduce(world, seconds, seconds, Reduction::Kind::maximum);
  for (double& run : seconds) run /= world.state().cost_model.ranks_per_core;
  return seconds;
}

}  // namespace

void CrowdedNetwork::add(const CrowdedNetwork& other) {
  received = other.received;
  sizes.resize(other.sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i].bytes = other.sizes[i].bytes;
    append(sizes[i].one, other.sizes[i].one);
    append(sizes[i].many, other.sizes[i].many);
  }
}

CrowdedNetwork crowded_network(const Communicator& world) {
  constexpr std::size_t together = 4;  // messages to each neighbour, as in a pipeline
  constexpr std::size_t longest = 4 << 10;
  const std::vector<int> peers = ranks_across_cables(world.state().cost_model.nodes, world.rank());
  std::array received = {static_cast<double>(together * peers.size())};
  allreduce(world, received, received, Reduction::Kind::sum);
  CrowdedNetwork network{.sizes = {}, .received = received[0] / world.size()};
  for (std::size_t bytes = Burst{}.bytes; bytes <= longest; bytes *= 8) {
    const auto one = [&](int rounds) { return exchange_round(world, bytes, rounds, Sent::old); };
    const auto many = [&](int rounds) {
      return exchange_with_all(world, peers, {together, bytes}, rounds);
    };
    network.sizes.push_back({.bytes = bytes,
                             .one = crowded_runs(world, bytes, one),
                             .many = crowded_runs(world, together * bytes, many)});
  }
  return network;
}

}  // namespace cuboid::detail
