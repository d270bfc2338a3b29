#include <cuboid/collectives/algorithms/families.hpp>
#include <cuboid/collectives/rounds/dissemination.hpp>
#include <cuboid/collectives/rounds/pieces.hpp>
#include <cuboid/collectives/rounds/recursive_doubling.hpp>

namespace cuboid {

namespace {

// Rounds name every block of every message: with more ranks, the lists outgrow what they describe.
constexpr int most_ranks_of_pieces = 256;

int one_piece_per_rank(int ranks) {
  return ranks;
}

std::optional<Quote> price_dissemination(const Call& call) {
  const Hockney& network = call.surroundings.slowest();
  if (call.operation() == Operation::barrier)
    return quote_whole(call, binomial_seconds(network, call.ranks(), 0));
  if (call.operation() == Operation::reduce_scatter && call.ranks() > most_ranks_of_pieces)
    return std::nullopt;
  return quote_whole(call, dissemination_allgather_seconds(network, call.ranks(), call.bytes()));
}

ForestOrRounds build_dissemination(const Call& call, const Contract&, const Settings&) {
  switch (call.operation()) {
    case Operation::barrier: return dissemination_barrier(call.ranks());
    case Operation::reduce_scatter: return dissemination_reduce_scatter(call.ranks());
    default: return dissemination_allgather(call.ranks());
  }
}

std::optional<Quote> price_recursive_doubling(const Call& call) {
  return quote_whole(
      call, recursive_doubling_seconds(call.surroundings.slowest(), call.ranks(), call.bytes()));
}

std::optional<Quote> price_pieces(const Call& call) {
  if (call.ranks() > most_ranks_of_pieces) return std::nullopt;
  return quote_whole(
      call, scatter_allgather_seconds(call.surroundings.slowest(), call.ranks(), call.bytes()));
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
