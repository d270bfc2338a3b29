#include "collectives/algorithms/families.hpp"
#include "collectives/forests/forests.hpp"
#include "collectives/prices/estimate_rounds.hpp"
#include "collectives/prices/path_seconds.hpp"

#include <vector>

namespace cuboid::detail {

std::vector<Algorithm> path_algorithms() {
  return {
      {"direct",
       "every block in one message from its source to its destination",
       {Operation::gather, Operation::scatter, Operation::alltoall},
       true,
       [](const Call& call) -> std::optional<CostEstimate> {
         const double peers = call.ranks() - 1;
         // An all-to-all's bytes are those of all blocks, a gather's and a scatter's those of one.
         const bool all = call.operation() == Operation::alltoall;
         const std::size_t block =
             all ? call.bytes() / static_cast<std::size_t>(call.ranks()) : call.bytes();
         const double seconds = all ? exchange_seconds(call, block) : root_seconds(call, block);
         return estimate_rounds(
             call, seconds,
             {.rounds = 1, .bytes = peers * static_cast<double>(block), .messages = peers});
       },
       [](const Call&, const Conditions& conditions, const Settings&) -> ForestOrRounds {
         return direct_paths(conditions);
       },
       [](const Call&, const Conditions& conditions, const Settings&, int rank) -> RankPart {
         return direct_paths_part(conditions, rank);
       }},
  };
}

}  // namespace cuboid::detail
