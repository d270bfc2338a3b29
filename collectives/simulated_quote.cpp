#include <cuboid/collectives/simulated_quote.hpp>
#include <cuboid/collectives/slices.hpp>
#include <cuboid/collectives/transfers.hpp>
#include <cuboid/models/simulator.hpp>

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

// A block from each rank to each, or, for algorithms that number them so, for each distance.
Contract all_to_all(const Call& call, bool by_distance) {
  const int ranks = call.ranks();
  const std::size_t bytes = call.bytes() / static_cast<std::size_t>(ranks);
  Contract contract{ranks, {}};
  for (int distance = by_distance ? 0 : 1; distance < ranks; ++distance) {
    for (int rank = 0; rank < (by_distance ? 1 : ranks); ++rank)
      contract.blocks.push_back(
          {{contract.blocks.size() * bytes, bytes}, rank, (rank + distance) % ranks});
  }
  return contract;
}

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
        return all_to_all(call, algorithm.by_distance);
      return std::nullopt;
    default: return std::nullopt;
  }
}

Fabric fabric_of(const Surroundings& surroundings) {
  const GroupNodes& nodes = surroundings.nodes;
  const Hockney& network = surroundings.network;
  const double overhead = std::min(surroundings.network_overhead, network.alpha) / 2;
  Fabric fabric{
      nodes.shape ? Routes::dimension_ordered(*nodes.shape) : Routes::shortest(*nodes.network),
      nodes.node_of_rank(),
      {.latency = network.alpha - 2 * overhead,
       .send_overhead = overhead,
       .receive_overhead = overhead,
       .gap = 0,
       .byte_gap = network.beta},
      log_gp(surroundings.node)};
  fabric.catch_up_bytes = surroundings.catch_up_bytes;
  return fabric;
}

// The first segments of every tree.
Forest cut_off(Forest forest, std::size_t segments, std::size_t segment_bytes) {
  for (Tree& tree : forest.trees)
    tree.slice.bytes = std::min(tree.slice.bytes, segments * segment_bytes);
  return forest;
}

class ForestPrice {
 public:
  ForestPrice(const Forest& forest, const Pipelining& pipelining, const Surroundings& surroundings)
      : forest_(forest),
        pipelining_(pipelining),
        surroundings_(surroundings),
        combine_seconds_per_byte_(forest.flow == Flow::multicast ? 0 : surroundings.node.beta),
        fabric_(fabric_of(surroundings)),
        steady_(fabric_) {
    steady_.catch_up_bytes = 0;
    for (const Tree& tree : forest.trees) {
      edges_ += static_cast<double>(tree.edges.size());
      longest_ = std::max(longest_, tree.slice.bytes);
    }
    if (forest.flow == Flow::combine_then_multicast) edges_ *= 2;
  }

  double price() const {
    const double messages = edges_ * static_cast<double>(segments());
    return std::max(seconds(), surroundings_.core_seconds(messages));
  }

 private:
  double seconds() const {
    const auto affordable = static_cast<std::size_t>(most_transfers / std::max(edges_, 1.0));
    constexpr std::size_t least = 4;
    const std::size_t most = std::max(affordable, least);
    if (segments() <= most) return run_of_first(segments(), fabric_).seconds;
    // What idle links let through at once is soon spent, and no part of the rate to go on with. Nor
    // is what links carry that are idle only until the pipeline is full.
    const std::size_t half = most / 2;
    const double begun = run_of_first(half, steady_).seconds;
    const SimulatedRun run = run_of_first(most, steady_);
    const double each = std::max((run.seconds - begun) / static_cast<double>(most - half),
                                 run.busiest_link_seconds / static_cast<double>(most));
    const double at_once = fabric_.catch_up_bytes * fabric_.between_nodes.byte_gap;
    return begun + each * static_cast<double>(segments() - half) - at_once;
  }

  std::size_t segments() const {
    const std::size_t bytes =
        std::min(pipelining_.segment_bytes, std::max<std::size_t>(longest_, 1));
    return (longest_ + bytes - 1) / bytes;
  }

  SimulatedRun run_of_first(std::size_t segments, const Fabric& fabric) const {
    Transfers transfers(forest_.ranks);
    transfers.add(cut_off(forest_, segments, pipelining_.segment_bytes), pipelining_,
                  combine_seconds_per_byte_);
    return simulate(transfers.graph(), fabric);
  }

  const Forest& forest_;
  const Pipelining& pipelining_;
  const Surroundings& surroundings_;
  double combine_seconds_per_byte_;
  Fabric fabric_;
  Fabric steady_;  ///< the same without anything to catch up
  double edges_ = 0;
  std::size_t longest_ = 0;
};

double seconds_of_rounds(const Rounds& rounds, const Contract& contract, const Call& call,
                         const Pipelining& pipelining) {
  Transfers transfers(rounds.ranks);
  transfers.add(rounds, contract, pipelining, call.surroundings.node.beta);
  const auto messages = static_cast<double>(transfers.graph().size());
  return std::max(simulate(transfers.graph(), fabric_of(call.surroundings)).seconds,
                  call.surroundings.core_seconds(messages));
}

Quote quote_forest(const Forest& forest, const Call& call, Quote quote) {
  std::vector<Quote> tried;
  double best = 0;
  std::size_t longest = 0;
  for (const Tree& tree : forest.trees) longest = std::max(longest, tree.slice.bytes);
  while (true) {
    const Pipelining& pipelining = quote.settings.pipelining;
    quote.seconds = ForestPrice(forest, pipelining, call.surroundings).price();
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
  return Quote{quote.settings, seconds_of_rounds(std::get<Rounds>(how), *contract, call,
                                                 quote.settings.pipelining)};
}

}  // namespace cuboid
