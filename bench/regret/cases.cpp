#include "bench/regret/cases.hpp"

#include <cuboid/shape.hpp>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/evaluation/call.hpp"
#include "collectives/selection/candidates.hpp"
#include "collectives/selection/large_groups.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/selection.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr double micro = 1e-6;
constexpr double giga = 1e9;

Machine machine(std::string name, std::string source, double latency, double overhead, double link,
                double memory, LogGP node) {
  Machine made{.name = std::move(name),
               .source = std::move(source),
               .shape = std::nullopt,
               .between_nodes = log_p(latency, overhead, 0, 1 / link),
               .within_node = node};
  made.memory_bytes_per_second = memory;
  return made;
}

// Within a node: the latency of shared memory, and what one core copies.
LogGP node(double seconds, double bytes_per_second) {
  return {.latency = seconds, .byte_gap = 1 / bytes_per_second};
}

}  // namespace

std::span<const Machine> regret_machines() {
  static const std::vector<Machine> machines = {
      machine("bgp", "Solomonik et al. 2011, §4.5", 0.8 * micro, 0.4 * micro, 0.375 * giga,
              13.6 * giga, node(1 * micro, 13.6 * giga)),
      machine("infiniband", "HDR100: 1.6 us, 12.5 GB/s; slow memory", 1 * micro, 0.3 * micro,
              12.5 * giga, 13.6 * giga, node(0.5 * micro, 13.6 * giga)),
      machine("infiniband-fast-memory", "the same, memory of 100 GB/s", 1 * micro, 0.3 * micro,
              12.5 * giga, 100 * giga, node(0.5 * micro, 100 * giga)),
      machine("ethernet-25g", "RoCE: 5 us, 3 GB/s", 3 * micro, 1 * micro, 3 * giga, 10 * giga,
              node(0.5 * micro, 10 * giga)),
      machine("ethernet-1g", "TCP of the kernel: 30 us, 118 MB/s", 24 * micro, 3 * micro,
              0.118 * giga, 10 * giga, node(0.5 * micro, 10 * giga)),
      machine("tofu", "Tofu-D of Fugaku, Ajima et al. 2018: 0.49 us, 6.8 GB/s a link; HBM2",
              0.39 * micro, 0.05 * micro, 6.8 * giga, 200 * giga, node(0.3 * micro, 20 * giga))};
  return machines;
}

namespace {

const std::vector<std::string>& networks_to_draw() {
  static const std::vector<std::string> networks = {
      "torus:2x2", "mesh:5", "torus:7", "torus:3x4", "mesh:3x4", "torus:4x4", "mesh:4x4",
      "torus:3x5", "torus:3x3x3", "torus:4x1x4", "mesh:2x3x4", "torus:4x6", "torus:6x6", "mesh:3x8",
      "torus:8,mesh:4", "torus:4x4x2", "torus:4x4x4", "mesh:8x8", "fat:4x4", "fat:4x8",
      "cut:torus:4x4", "cut:torus:3x3x3", "torus:16", "node",
      // For large groups only: they have more nodes than small groups have ranks.
      "torus:5x5x5", "torus:12x12", "mesh:10x12", "torus:8x8x4", "torus:128", "mesh:4x5x6",
      "torus:7x3x9", "fat:16x12", "torus:2x2x2x2x2x4x2", "cut:torus:11x11", "torus:6x6x6",
      "torus:16,mesh:8"};
  return networks;
}

Network fat_tree(int leaves, int hosts, double rate) {
  Network network;
  for (int host = 0; host < leaves * hosts; ++host) network.add_node(fmt::format("host{}", host));
  const int spine = network.add_node("spine", Role::network_switch);
  for (int leaf = 0; leaf < leaves; ++leaf) {
    const int at = network.add_node(fmt::format("leaf{}", leaf), Role::network_switch);
    for (int host = 0; host < hosts; ++host) network.add_cable(leaf * hosts + host, at, rate);
    network.add_cable(at, spine, 2 * rate);
  }
  return network;
}

// Without the first cable of a shape.
Network cut_shape(const Shape& shape, double rate) {
  const Network whole =
      Network::of_shape(shape, std::vector(static_cast<std::size_t>(shape.dimensions()), rate));
  Network network;
  for (int at = 0; at < whole.nodes(); ++at) network.add_node(whole.name(at));
  for (std::size_t link = 2; link < whole.links().size(); link += 2)
    network.add_cable(whole.links()[link].from, whole.links()[link].to, rate);
  return network;
}

void put_ranks(GroupNodes& nodes, int ranks_per_node) {
  int rank = 0;
  for (auto& on_node : nodes.ranks_of_node) {
    on_node.resize(static_cast<std::size_t>(ranks_per_node));
    std::iota(on_node.begin(), on_node.end(), std::exchange(rank, rank + ranks_per_node));
  }
}

GroupCostModel group_of(const Machine& machine, const std::string& network, int ranks_per_node) {
  const double rate = machine.link_bytes_per_second();
  const auto begins = [&](const char* with) { return network.rfind(with, 0) == 0; };
  GroupCostModel group;
  if (begins("fat:") || begins("cut:") || network == "node") {
    group = one_rank_per_node(machine, parse_shape("torus:2"));
    Network cables;
    int hosts = 1;
    if (begins("fat:")) {
      int leaves = 0;
      int of_each = 0;
      std::sscanf(network.c_str(), "fat:%dx%d", &leaves, &of_each);
      cables = fat_tree(leaves, of_each, rate);
      hosts = leaves * of_each;
    } else if (begins("cut:")) {
      const Shape shape = parse_shape(network.substr(4)).shape;
      cables = cut_shape(shape, rate);
      hosts = static_cast<int>(shape.nodes());
    }
    group.nodes = GroupNodes::apart(hosts);
    group.nodes.link_bytes_per_second = rate;
    if (hosts > 1) group.nodes.network = cables;
  } else {
    const ShapeSpec spec = parse_shape(network);
    group = one_rank_per_node(machine, spec);
    group.nodes.network = Network::of_shape(
        spec.shape, std::vector(static_cast<std::size_t>(spec.shape.dimensions()), rate));
  }
  put_ranks(group.nodes, ranks_per_node);
  return group;
}

Collective call_of(const RegretCase& one, int ranks) {
  Collective call = call_of(one.operation, one.bytes, ranks);
  if (one.operation == Operation::reduce || one.operation == Operation::allreduce ||
      one.operation == Operation::reduce_scatter)
    call.reduction = Reduction::Kind::sum;
  return call;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

std::string describe(const RegretCase& one) {
  return fmt::format("{} of {} bytes on {}, {} ranks a node, {}", to_string(one.operation),
                     one.bytes, one.network, one.ranks_per_node, one.machine->name);
}

std::vector<RegretCase> regret_cases(std::size_t count, int most_ranks, int least_ranks) {
  constexpr std::array operations = {Operation::broadcast,      Operation::reduce,
                                     Operation::allreduce,      Operation::allgather,
                                     Operation::reduce_scatter, Operation::alltoall};
  constexpr std::size_t kibi = 1 << 10;
  constexpr std::size_t mebi = 1 << 20;
  constexpr std::array<std::size_t, 10> sizes = {8,          256,  2 * kibi, 16 * kibi, 64 * kibi,
                                                 256 * kibi, mebi, 4 * mebi, 16 * mebi, 64 * mebi};
  constexpr std::array ranks_per_node = {1, 1, 2, 4, 8};
  constexpr std::array ranks_of_one_node = {2, 5, 8, 16};
  std::mt19937 random(7);
  const auto one_of = [&](const auto& all) { return all[random() % all.size()]; };
  std::vector<RegretCase> cases;
  while (cases.size() < count) {
    RegretCase drawn{&regret_machines()[random() % regret_machines().size()],
                     one_of(networks_to_draw()), one_of(ranks_per_node)};
    if (drawn.network == "node") drawn.ranks_per_node = one_of(ranks_of_one_node);
    drawn.operation = one_of(operations);
    drawn.bytes = one_of(sizes);
    const int ranks = group_of(*drawn.machine, drawn.network, drawn.ranks_per_node).ranks();
    const bool blocks = has_blocks(drawn.operation);
    const int of_all = blocks ? 2 * ranks : ranks;
    if (of_all < least_ranks || of_all > most_ranks) continue;
    if (blocks && drawn.bytes < static_cast<std::size_t>(ranks)) continue;
    // Whole runs of so many messages take minutes.
    if (blocks && drawn.bytes > 4 * mebi && ranks > 16) continue;
    cases.push_back(std::move(drawn));
  }
  return cases;
}

Regret regret_of(const RegretCase& one, bool as_if_large) {
  const GroupCostModel group = group_of(*one.machine, one.network, one.ranks_per_node);
  const Collective collective = call_of(one, group.ranks());
  const Call call{collective, group};
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.serves(collective.operation)) all.push_back(&algorithm);
  }
  const double before = processor_seconds();
  const Choice chosen =
      as_if_large ? fastest_in_large_group(call, all).value() : select(collective, group);
  Regret regret{.chosen = describe(chosen), .choosing_seconds = processor_seconds() - before};
  const auto best = fastest_in_whole(call, all);
  regret.chosen_seconds = seconds_in_whole(call, chosen);
  regret.best_seconds = std::min(best->seconds, regret.chosen_seconds);
  regret.best = describe(*best);
  return regret;
}

}  // namespace cuboid::detail
