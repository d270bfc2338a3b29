#include "collectives/algorithms/families.hpp"
#include "collectives/rounds/pieces.hpp"
#include "collectives/rounds/recursive_doubling.hpp"

namespace cuboid::detail {

namespace {

int one_piece_per_rank(const Call& call) {
  return call.ranks();
}

/// A message is cut into a piece per rank, and every rank lists all pieces. With more ranks the
/// list outgrows the message; trees carry long messages as well and need no list.
constexpr int most_ranks_of_pieces = 4096;

std::vector<Settings> settings_of_pieces(const Call& call) {
  if (call.ranks() > most_ranks_of_pieces) return {};
  return of_rounds(call);
}

}  // namespace

std::vector<Algorithm> doubling_algorithms() {
  return {
      {"recursive_doubling",
       "exchange of whole messages at distances 1, 2, 4, …",
       {Operation::allreduce},
       true,
       of_rounds,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return recursive_doubling_allreduce(call.ranks());
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return recursive_doubling_allreduce(call.ranks(), rank);
       }},
      {"halving_doubling",
       "reduce-scatter by recursive halving, all-gather by recursive doubling",
       {Operation::allreduce},
       false,
       settings_of_pieces,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return halving_doubling_allreduce(call.ranks());
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return halving_doubling_allreduce(call.ranks(), rank);
       },
       equal_pieces<one_piece_per_rank>},
      {"van_de_geijn",
       "scatter by recursive halving, all-gather by recursive doubling",
       {Operation::broadcast},
       false,
       [](const Call& call) {
         return call.ranks() > 2 ? settings_of_pieces(call) : std::vector<Settings>{};
       },
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return van_de_geijn_broadcast(call.ranks(), call.collective.root);
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return van_de_geijn_broadcast(call.ranks(), call.collective.root, rank);
       },
       equal_pieces<one_piece_per_rank>},
  };
}

}  // namespace cuboid::detail
