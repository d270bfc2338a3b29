#include <cuboid/collectives/algorithms/families.hpp>
#include <cuboid/collectives/forests/forests.hpp>

namespace cuboid {

std::vector<Algorithm> path_algorithms() {
  return {
      {"direct",
       "every block straight from its origin to its destination",
       {Operation::gather, Operation::scatter, Operation::alltoall},
       true,
       [](const Call& call) -> std::optional<Quote> {
         const double peers = call.ranks() - 1;
         // An all-to-all's bytes are those of all blocks, a gather's and a scatter's those of one.
         const std::size_t block = call.operation() == Operation::alltoall
                                       ? call.bytes() / static_cast<std::size_t>(call.ranks())
                                       : call.bytes();
         return quote_rounds(
             call, flat_seconds(call.surroundings.slowest(), call.ranks(), block),
             {.rounds = 1, .bytes = peers * static_cast<double>(block), .messages = peers});
       },
       [](const Call&, const Contract& contract, const Settings&) -> ForestOrRounds {
         return direct_paths(contract);
       }},
  };
}

}  // namespace cuboid
