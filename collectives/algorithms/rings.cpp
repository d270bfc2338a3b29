#include <cuboid/collectives/algorithms/families.hpp>
#include <cuboid/collectives/forests/forests.hpp>

namespace cuboid {

namespace {

// Blocks that pass every rank, `ways` round at once with an equal part each; an all-reduce passes
// every part round twice.
Quote price_rounds(const Call& call, std::size_t ways) {
  const double once = ring_seconds(call.surroundings.slowest(), call.ranks(), call.bytes() / ways);
  const double peers = call.ranks() - 1;
  const double received = peers / call.ranks() * static_cast<double>(call.bytes());
  const double combined = call.flow() == Flow::multicast ? 0 : received;
  if (call.operation() == Operation::allreduce)
    return quote_rounds(call, 2 * once, {2 * peers, 2 * received, combined});
  return quote_rounds(call, static_cast<double>(ways) * once, {peers, received, combined});
}

std::optional<Quote> price_ring(const Call& call) {
  return price_rounds(call, 1);
}

ForestOrRounds build_ring(const Call& call, const Contract& contract, const Settings&) {
  if (call.operation() == Operation::allreduce)
    return ring_allreduce(contract, call.element_bytes());
  return plant(contract, call.flow(), chain);
}

// Two chains with half the message each, priced for ranks that send one message at a time.
std::optional<Quote> price_both_ways(const Call& call) {
  const bool rooted =
      call.operation() == Operation::broadcast || call.operation() == Operation::reduce;
  if (rooted) return quote_trees(call, steps_of(both_chains(call.ranks(), 0), call.ranks()), 2);
  return price_rounds(call, 2);
}

ForestOrRounds build_both_ways(const Call& call, const Contract& contract, const Settings&) {
  return plant_together(contract, call.flow(), call.element_bytes(), both_chains);
}

}  // namespace

std::vector<Algorithm> ring_algorithms() {
  return {
      {"ring",
       "chains round the ring of ranks, one per block",
       {Operation::allreduce, Operation::allgather, Operation::reduce_scatter},
       false,
       price_ring,
       build_ring},
      {"bidirectional_ring",
       "chains both ways round the ring of ranks, half a block each",
       {Operation::broadcast, Operation::reduce, Operation::allgather, Operation::reduce_scatter},
       false,
       price_both_ways,
       build_both_ways},
  };
}

}  // namespace cuboid
