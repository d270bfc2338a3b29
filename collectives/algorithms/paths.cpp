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
         return quote_whole(call,
                            flat_seconds(call.surroundings.slowest(), call.ranks(), call.bytes()));
       },
       [](const Call&, const Contract& contract, const Settings&) -> ForestOrRounds {
         return direct_paths(contract);
       }},
  };
}

}  // namespace cuboid
