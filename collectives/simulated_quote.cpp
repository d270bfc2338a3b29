#include <cuboid/collectives/simulated_quote.hpp>
#include <cuboid/collectives/simulated_seconds.hpp>
#include <cuboid/collectives/slices.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

namespace cuboid {

namespace {

// Beyond these, it would take longer than it saves.
constexpr int most_ranks = 64;
constexpr int most_ranks_all_to_all = 32;
constexpr double most_transfers = 1200;

// Longer ones gain nothing.
constexpr std::size_t long_segment = 64 << 10;

// Whether a rank knows the blocks of all the others, and simulating them does not take too long.
bool can_be_simulated(const Call& call) {
  switch (call.operation()) {
    case Operation::alltoall:
      return call.collective.equal_blocks && call.ranks() <= most_ranks_all_to_all;
    case Operation::gather:
    case Operation::scatter:
    case Operation::barrier: return false;
    default: return true;
  }
}

// By what segments of different lengths are compared. A stream fills its pipelines once, but takes
// of the cores, which have other work, with every message.
double cost(const Call& call, double seconds, double messages, double bytes) {
  const int length = call.collective.stream_length;
  return length == 1 ? seconds : seconds / length + call.surroundings.core_seconds(messages, bytes);
}

// Segments are doubled for as long as that costs next to nothing: of those the longest. Algorithms
// are compared by what they take alone at their best.
Quote quote_forest(const Forest& forest, const Call& call, Quote quote) {
  const double as_good = call.collective.stream_length == 1 ? 1.02 : 1.1;
  const std::size_t longest = longest_slice(forest);
  Quote chosen = quote;
  double best = std::numeric_limits<double>::infinity();
  double alone = best;
  while (true) {
    const Pipelining& pipelining = quote.settings.pipelining;
    quote.seconds = simulated_seconds(forest, pipelining, call.surroundings, most_transfers);
    const double costs =
        cost(call, quote.seconds, messages_of(forest, pipelining), bytes_of(forest));
    if (costs > as_good * best) break;
    best = std::min(best, costs);
    alone = std::min(alone, quote.seconds);
    chosen = quote;
    const std::size_t segment = pipelining.segment_bytes;
    if (segment >= std::min(longest, long_segment)) break;
    quote.settings.pipelining.segment_bytes = 2 * segment;
    quote.settings.pipelining.segments_per_bundle = std::max(pipelining.segments_per_bundle / 2, 1);
  }
  if (call.collective.stream_length > 1) chosen.seconds = alone;
  return chosen;
}

}  // namespace

std::optional<Quote> simulated_quote(const Call& call, const Algorithm& algorithm,
                                     const Quote& quote) {
  const GroupNodes& nodes = call.surroundings.nodes;
  if (nodes.nodes() < 2 || call.ranks() > most_ranks) return std::nullopt;
  if (!nodes.shape && !nodes.network) return std::nullopt;
  if (call.bytes() == 0 || !can_be_simulated(call)) return std::nullopt;
  auto contract = contract_of(call, algorithm);
  if (algorithm.pieces != nullptr)
    contract = in_pieces(*contract, static_cast<std::size_t>(algorithm.pieces(call)),
                         call.element_bytes());
  const ForestOrRounds how = algorithm.build(call, *contract, quote.settings);
  if (const auto* forest = std::get_if<Forest>(&how)) return quote_forest(*forest, call, quote);
  return Quote{quote.settings, simulated_seconds(std::get<Rounds>(how), *contract,
                                                 quote.settings.pipelining, call.surroundings)};
}

}  // namespace cuboid
