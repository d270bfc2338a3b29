#include "collectives/algorithms/families.hpp"
#include "collectives/prices/estimate_rounds.hpp"
#include "collectives/prices/round_seconds.hpp"
#include "collectives/rounds/pieces.hpp"
#include "collectives/rounds/recursive_doubling.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace cuboid::detail {

namespace {

int one_piece_per_rank(const Call& call) {
  return call.ranks();
}

double log2_up(int ranks) {
  return std::bit_width(static_cast<unsigned>(ranks - 1));
}

// Ranks beyond the greatest power of two contribute in a further first round, and get the result in
// a further last one.
double recursive_doubling_round_seconds(const Call& call) {
  const auto bytes = static_cast<double>(call.bytes());
  const int doubling = static_cast<int>(std::bit_floor(static_cast<unsigned>(call.ranks())));
  const int folded = call.ranks() - doubling;
  const auto rank_of = [&](int index) { return index < folded ? 2 * index + 1 : index + folded; };
  double seconds = 0;
  if (folded > 0)
    seconds +=
        2 * round_seconds(call, bytes, {.count = folded, .message = [](int pair) -> RoundMessage {
                                          return {2 * pair, 2 * pair + 1};
                                        }});
  // Those below and above a border meet there, and leave other borders alone.
  constexpr double only_some_borders = 2;
  for (int distance = 1; distance < doubling; distance *= 2) {
    seconds += round_seconds(call, bytes,
                             {.count = doubling,
                              .message = [&](int index) -> RoundMessage {
                                return {rank_of(index), rank_of(index ^ distance)};
                              },
                              .unevenness = only_some_borders});
  }
  return seconds;
}

std::optional<CostEstimate> price_recursive_doubling(const Call& call) {
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(call.ranks()));
  const double rounds = log2_up(call.ranks()) + (power_of_two ? 0 : 1);
  const double received = rounds * static_cast<double>(call.bytes());
  return estimate_rounds(
      call, recursive_doubling_round_seconds(call),
      {.rounds = rounds, .bytes = received, .combined = received, .scratch = received});
}

// Every rank sends to the one 2^t ranks up in round t: as many pieces as it has, or all that are
// missing.
double dissemination_seconds(const Call& call) {
  const int ranks = call.ranks();
  const double block = static_cast<double>(call.bytes()) / ranks;
  double seconds = 0;
  for (int distance = 1; distance < ranks; distance *= 2) {
    seconds += shift_seconds(call, std::min(distance, ranks - distance) * block, distance);
  }
  return seconds;
}

/// A rank names every piece of a message that is cut into one for each rank: with more, the names
/// outgrow what they describe, and trees that carry long messages as well do not.
constexpr int most_ranks_of_pieces = 4096;

std::vector<Settings> settings_of_pieces(const Call& call) {
  if (call.ranks() > most_ranks_of_pieces) return {};
  return of_rounds(call);
}

std::optional<CostEstimate> price_pieces(const Call& call) {
  if (call.ranks() > most_ranks_of_pieces) return std::nullopt;
  const double rounds = log2_up(call.ranks());
  const double combined = call.operation() == Operation::allreduce ? call.bytes_of_others() : 0;
  // What one rank has is scattered by halves: at every step twice as many ranks take in half as
  // much each.
  const double halves = rounds * static_cast<double>(call.bytes()) / (2 * call.ranks());
  const double first = combined > 0 ? call.bytes_of_others() : halves;
  return estimate_rounds(call, 2 * dissemination_seconds(call),
                         {.rounds = 2 * rounds,
                          .bytes = first + call.bytes_of_others(),
                          .combined = combined,
                          .scratch = combined,
                          .path_bytes = 2 * call.bytes_of_others()});
}

}  // namespace

std::vector<Algorithm> doubling_algorithms() {
  return {
      {"recursive_doubling",
       "exchange of whole messages at distances 1, 2, 4, …",
       {Operation::allreduce},
       true,
       of_rounds,
       price_recursive_doubling,
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
       price_pieces,
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
       [](const Call& call) { return call.ranks() > 2 ? price_pieces(call) : std::nullopt; },
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
