#include <cuboid/collectives/algorithms/families.hpp>
#include <cuboid/collectives/rounds/bruck.hpp>
#include <cuboid/collectives/rounds/dissemination.hpp>
#include <cuboid/collectives/rounds/pieces.hpp>
#include <cuboid/collectives/rounds/recursive_doubling.hpp>

#include <bit>

namespace cuboid {

namespace {

// Rounds name every block of every message: with more ranks, the lists outgrow what they describe.
constexpr int most_ranks_of_pieces = 256;
constexpr int most_ranks_of_bruck = 1024;

int one_piece_per_rank(int ranks) {
  return ranks;
}

double log2_up(int ranks) {
  return std::bit_width(static_cast<unsigned>(ranks - 1));
}

// What is left of a message where a rank has its own part already.
double others(const Call& call) {
  return (call.ranks() - 1.0) / call.ranks() * static_cast<double>(call.bytes());
}

std::optional<Quote> price_dissemination(const Call& call) {
  const Hockney& network = call.surroundings.slowest();
  const double rounds = log2_up(call.ranks());
  if (call.operation() == Operation::barrier)
    return quote_rounds(call, binomial_seconds(network, call.ranks(), 0), {rounds});
  const bool combines = call.operation() == Operation::reduce_scatter;
  if (combines && call.ranks() > most_ranks_of_pieces) return std::nullopt;
  return quote_rounds(call, dissemination_allgather_seconds(network, call.ranks(), call.bytes()),
                      {rounds, others(call), combines ? others(call) : 0});
}

ForestOrRounds build_dissemination(const Call& call, const Contract&, const Settings&) {
  switch (call.operation()) {
    case Operation::barrier: return dissemination_barrier(call.ranks());
    case Operation::reduce_scatter: return dissemination_reduce_scatter(call.ranks());
    default: return dissemination_allgather(call.ranks());
  }
}

std::optional<Quote> price_recursive_doubling(const Call& call) {
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(call.ranks()));
  const double rounds = log2_up(call.ranks()) + (power_of_two ? 0 : 1);
  const double received = rounds * static_cast<double>(call.bytes());
  return quote_rounds(
      call, recursive_doubling_seconds(call.surroundings.slowest(), call.ranks(), call.bytes()),
      {rounds, received, received});
}

std::optional<Quote> price_pieces(const Call& call) {
  if (call.ranks() > most_ranks_of_pieces) return std::nullopt;
  // To be combined in its own memory, a message is copied there first.
  const bool combines = call.operation() == Operation::allreduce;
  const double copied = combines ? static_cast<double>(call.bytes()) : 0;
  return quote_rounds(
      call, scatter_allgather_seconds(call.surroundings.slowest(), call.ranks(), call.bytes()),
      {2 * log2_up(call.ranks()), 2 * others(call) + copied, combines ? others(call) : 0});
}

// Blocks are packed, sent, and at last copied to their places.
std::optional<Quote> price_bruck(const Call& call) {
  if (!call.collective.equal_blocks || call.ranks() > most_ranks_of_bruck) return std::nullopt;
  const double rounds = log2_up(call.ranks());
  const double bytes = static_cast<double>(call.bytes());
  return quote_rounds(
      call, bruck_alltoall_seconds(call.surroundings.slowest(), call.ranks(), call.bytes()),
      {rounds, 2 * rounds * bytes / 2 + bytes});
}

// Everybody to one and back: where ranks wait for cores, each of them is waited for only once.
std::optional<Quote> price_central(const Call& call) {
  if (call.surroundings.nodes.nodes() > 1) return std::nullopt;
  const double peers = call.ranks() - 1;
  Quote quote;
  quote.seconds = node_seconds(call.surroundings.memory(), call.ranks(),
                               {.hops = 2, .path_messages = 2 * peers, .messages = 2 * peers});
  return quote;
}

}  // namespace

std::vector<Algorithm> rounds_algorithms() {
  return {
      {"dissemination",
       "rounds at distances 1, 2, 4, … (Bruck)",
       {Operation::barrier, Operation::allgather, Operation::reduce_scatter},
       false,
       price_dissemination,
       build_dissemination},
      {"central",
       "everybody to rank 0 and back",
       {Operation::barrier},
       false,
       price_central,
       [](const Call& call, const Contract&, const Settings&) -> ForestOrRounds {
         return central_barrier(call.ranks());
       }},
      {"bruck",
       "blocks in rounds by how far they go, several in one message",
       {Operation::alltoall},
       true,
       price_bruck,
       [](const Call& call, const Contract&, const Settings&) -> ForestOrRounds {
         return bruck_alltoall(call.ranks());
       },
       nullptr,
       true},
      {"recursive_doubling",
       "partners at distances 1, 2, 4, … exchange whole messages",
       {Operation::allreduce},
       true,
       price_recursive_doubling,
       [](const Call& call, const Contract&, const Settings&) -> ForestOrRounds {
         return recursive_doubling_allreduce(call.ranks());
       }},
      {"halving_doubling",
       "reduce-scatter and all-gather in rounds that halve and double",
       {Operation::allreduce},
       false,
       price_pieces,
       [](const Call& call, const Contract&, const Settings&) -> ForestOrRounds {
         return halving_doubling_allreduce(call.ranks());
       },
       one_piece_per_rank},
      {"van_de_geijn",
       "scatter and all-gather in rounds that halve and double",
       {Operation::broadcast},
       false,
       [](const Call& call) { return call.ranks() > 2 ? price_pieces(call) : std::nullopt; },
       [](const Call& call, const Contract&, const Settings&) -> ForestOrRounds {
         return van_de_geijn_broadcast(call.ranks(), call.collective.root);
       },
       one_piece_per_rank},
  };
}

}  // namespace cuboid
