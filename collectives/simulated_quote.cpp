#include <cuboid/collectives/simulated_quote.hpp>
#include <cuboid/collectives/simulated_seconds.hpp>
#include <cuboid/collectives/slices.hpp>

#include <algorithm>
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
constexpr double as_good = 1.02;

// The contract of all ranks, where a single one can tell.
std::optional<Contract> contract_of(const Call& call, const Algorithm& algorithm) {
  const Collective& collective = call.collective;
  const int ranks = call.ranks();
  // Of a call without buffers, of which only the length is known, blocks are equal.
  const auto in_bytes = [&](const BlockList& blocks) {
    const auto parts = static_cast<std::size_t>(ranks);
    std::vector<std::size_t> bytes =
        blocks.counts.empty() ? std::vector(parts, collective.count / parts) : blocks.counts;
    for (std::size_t& count : bytes) count *= call.element_bytes();
    return bytes;
  };
  switch (collective.operation) {
    case Operation::broadcast: return Contract::broadcast(ranks, call.bytes(), collective.root);
    case Operation::reduce: return Contract::reduce(ranks, call.bytes(), collective.root);
    case Operation::allreduce: return Contract::allreduce(ranks, call.bytes());
    case Operation::allgather: return Contract::allgather(in_bytes(collective.output_blocks));
    case Operation::reduce_scatter:
      return Contract::reduce_scatter(in_bytes(collective.input_blocks));
    case Operation::alltoall:
      if (collective.equal_blocks && ranks <= most_ranks_all_to_all)
        return alltoall_contract(call, algorithm.by_distance);
      return std::nullopt;
    default: return std::nullopt;
  }
}

Quote quote_forest(const Forest& forest, const Call& call, Quote quote) {
  std::vector<Quote> tried;
  double best = 0;
  std::size_t longest = 0;
  for (const Tree& tree : forest.trees) longest = std::max(longest, tree.slice.bytes);
  while (true) {
    const Pipelining& pipelining = quote.settings.pipelining;
    quote.seconds = simulated_seconds(forest, pipelining, call.surroundings, most_transfers);
    best = tried.empty() ? quote.seconds : std::min(best, quote.seconds);
    tried.push_back(quote);
    const std::size_t segment = pipelining.segment_bytes;
    if (segment >= std::min(longest, long_segment) || quote.seconds > as_good * best) break;
    quote.settings.pipelining.segment_bytes = 2 * segment;
    quote.settings.pipelining.segments_per_bundle = std::max(pipelining.segments_per_bundle / 2, 1);
  }
  while (tried.back().seconds > as_good * best) tried.pop_back();
  return tried.back();
}

}  // namespace

std::optional<Quote> simulated_quote(const Call& call, const Algorithm& algorithm,
                                     const Quote& quote) {
  const GroupNodes& nodes = call.surroundings.nodes;
  if (nodes.nodes() < 2 || call.ranks() > most_ranks) return std::nullopt;
  if (!nodes.shape && !nodes.network) return std::nullopt;
  auto contract = contract_of(call, algorithm);
  if (!contract || call.bytes() == 0) return std::nullopt;
  if (algorithm.pieces != nullptr)
    contract = in_pieces(*contract, static_cast<std::size_t>(algorithm.pieces(call)),
                         call.element_bytes());
  const ForestOrRounds how = algorithm.build(call, *contract, quote.settings);
  if (const auto* forest = std::get_if<Forest>(&how)) return quote_forest(*forest, call, quote);
  return Quote{quote.settings, simulated_seconds(std::get<Rounds>(how), *contract,
                                                 quote.settings.pipelining, call.surroundings)};
}

}  // namespace cuboid
