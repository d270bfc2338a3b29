#include "collectives/algorithms/families.hpp"
#include "collectives/prices/estimate_rounds.hpp"
#include "collectives/prices/round_seconds.hpp"
#include "collectives/prices/segments.hpp"
#include "collectives/rounds/prefix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cuboid::detail {

namespace {

Prefix prefix_of(const Call& call) {
  return call.operation() == Operation::exscan ? Prefix::exclusive : Prefix::inclusive;
}

// An exclusive scan first sends every contribution to the next rank.
double shifts(const Call& call) {
  return prefix_of(call) == Prefix::exclusive ? 1 : 0;
}

double message_seconds(const Call& call, double bytes) {
  return call.cost_model.slowest().alpha + bytes * call.cost_model.slowest().beta;
}

std::optional<CostEstimate> price_doubling(const Call& call) {
  const auto bytes = static_cast<double>(call.bytes());
  double seconds = shifts(call) * message_seconds(call, bytes);
  for (int distance = 1; distance < call.ranks(); distance *= 2) {
    seconds += round_seconds(
        call, bytes,
        {.count = call.ranks() - distance, .message = [distance](int rank) -> RoundMessage {
           return {rank, rank + distance};
         }});
  }
  const double rounds = std::bit_width(static_cast<unsigned>(call.ranks() - 1));
  return estimate_rounds(call, seconds,
                         {.rounds = rounds + shifts(call),
                          .bytes = (rounds + shifts(call)) * bytes,
                          .combined = rounds * bytes,
                          .scratch = rounds * bytes});
}

// p + s - 2 steps of α + β·n/s seconds: fewest at s = √(β·n·(p − 2)/α). Messages of one round are
// told apart by their segment.
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

std::optional<CostEstimate> price_chain(const Call& call) {
  const auto bytes = static_cast<double>(call.bytes());
  const double pieces = pieces_of_chain(call);
  const double steps = std::max(call.ranks() - 2, 0) + pieces;
  const double piece = bytes / pieces;
  CostEstimate estimate = estimate_rounds(
      call, steps * message_seconds(call, piece) + shifts(call) * message_seconds(call, bytes),
      {.rounds = call.ranks() - 1 + shifts(call),
       .bytes = (1 + shifts(call)) * bytes,
       .combined = bytes,
       .scratch = bytes,
       .path_bytes = steps * piece + shifts(call) * bytes});
  estimate.settings = settings_of_chain(call).front();
  return estimate;
}

}  // namespace

std::vector<Algorithm> prefix_algorithms() {
  return {
      {"doubling_scan",
       "every rank's partial result to the rank 1, 2, 4, … above it",
       {Operation::scan, Operation::exscan},
       true,
       of_rounds,
       price_doubling,
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
       price_chain,
       [](const Call& call, const Conditions& conditions, const Settings&) -> ForestOrRounds {
         return chain_scan(call.ranks(), static_cast<int>(conditions.blocks.size()),
                           prefix_of(call));
       },
       [](const Call& call, const Conditions& conditions, const Settings&, int rank) -> RankPart {
         return chain_scan(call.ranks(), static_cast<int>(conditions.blocks.size()),
                           prefix_of(call), rank);
       },
       equal_pieces<pieces_of_chain>},
  };
}

}  // namespace cuboid::detail
