#include "collectives/algorithms/families.hpp"
#include "collectives/evaluation/segments.hpp"
#include "collectives/rounds/prefix.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

namespace {

Prefix prefix_of(const Call& call) {
  return call.operation() == Operation::exscan ? Prefix::exclusive : Prefix::inclusive;
}

// The number of pieces s of a chain. It takes p + s − 2 steps of α + β·n/s seconds, the least at s
// = √(β·n·(p − 2)/α). Messages of one round are told apart by their segment.
int pieces_of_chain(const Call& call) {
  const Hockney& link = call.cost_model.slowest();
  const auto bytes = static_cast<double>(call.bytes());
  const double best = std::sqrt(link.beta * bytes * std::max(call.ranks() - 2, 0) / link.alpha);
  const double most = std::min(bytes / least_segment, 256.0);
  return static_cast<int>(std::clamp(best, 1.0, std::max(most, 1.0)));
}

std::vector<Settings> settings_of_chain(const Call& call) {
  const double piece = static_cast<double>(call.bytes()) / pieces_of_chain(call);
  Settings settings;
  settings.pipelining.segment_bytes =
      whole_elements(call, static_cast<std::size_t>(std::ceil(piece)));
  return {settings};
}

}  // namespace

std::vector<Algorithm> prefix_algorithms() {
  return {
      {"doubling_scan",
       "every rank's partial result to the rank 1, 2, 4, … above it",
       {Operation::scan, Operation::exscan},
       true,
       of_rounds,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return doubling_scan(call.ranks(), prefix_of(call));
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return doubling_scan(call.ranks(), prefix_of(call), rank);
       }},
      {"chain_scan",
       "every rank's result to the rank above it, pipelined",
       {Operation::scan, Operation::exscan},
       true,
       settings_of_chain,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return chain_scan(call.ranks(), pieces_of_chain(call), prefix_of(call));
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return chain_scan(call.ranks(), pieces_of_chain(call), prefix_of(call), rank);
       },
       equal_pieces<pieces_of_chain>},
  };
}

}  // namespace cuboid::detail
