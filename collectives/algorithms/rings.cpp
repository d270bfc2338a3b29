#include <cuboid/collectives/algorithms/families.hpp>
#include <cuboid/collectives/forests/forests.hpp>

namespace cuboid {

namespace {

// A chain per block; an all-reduce passes every part round twice.
std::optional<Quote> price_ring(const Call& call) {
  const double once = ring_seconds(call.surroundings.slowest(), call.ranks(), call.bytes());
  return quote_whole(call, call.operation() == Operation::allreduce ? 2 * once : once);
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
  const std::size_t half = call.bytes() / 2;
  return quote_whole(call, 2 * ring_seconds(call.surroundings.slowest(), call.ranks(), half));
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
