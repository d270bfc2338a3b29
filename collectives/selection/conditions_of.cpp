#include "collectives/selection/conditions_of.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

namespace {

// The blocks of an all-to-all: one from each rank to each other rank. For algorithms that number
// blocks by distance: one block for each distance, from rank 0.
Conditions alltoall_conditions(const Call& call, bool by_distance) {
  const int ranks = call.ranks();
  const std::size_t bytes = call.bytes() / static_cast<std::size_t>(ranks);
  if (by_distance)
    return {ranks, BlockSequence::equal(static_cast<std::size_t>(ranks), bytes,
                                        BlockSequence::Owner::after, 0)};
  Conditions conditions{ranks, {}};
  for (int distance = 1; distance < ranks; ++distance) {
    for (int rank = 0; rank < ranks; ++rank)
      conditions.blocks.push_back(
          {{conditions.blocks.size() * bytes, bytes}, rank, (rank + distance) % ranks});
  }
  return conditions;
}

// The bytes of each rank's block. If the call has no buffers, only its length is known, and the
// blocks are equal.
std::vector<std::size_t> bytes_of_blocks(const Call& call, const BlockList& blocks) {
  const auto parts = static_cast<std::size_t>(call.ranks());
  std::vector<std::size_t> bytes =
      blocks.counts.empty() ? std::vector(parts, call.collective.count / parts) : blocks.counts;
  for (std::size_t& count : bytes) count *= call.element_bytes();
  return bytes;
}

}  // namespace

Conditions conditions_of(const Call& call, const Algorithm& algorithm) {
  const Collective& collective = call.collective;
  const int ranks = call.ranks();
  // In a gather or scatter a rank knows only its own block.
  const auto own = [&] {
    return std::vector<std::size_t>(static_cast<std::size_t>(ranks), call.bytes());
  };
  switch (collective.operation) {
    case Operation::broadcast: return Conditions::broadcast(ranks, call.bytes(), collective.root);
    case Operation::reduce: return Conditions::reduce(ranks, call.bytes(), collective.root);
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan: return Conditions::allreduce(ranks, call.bytes());
    case Operation::allgather:
      return Conditions::allgather(bytes_of_blocks(call, collective.output_blocks));
    case Operation::reduce_scatter:
      return Conditions::reduce_scatter(bytes_of_blocks(call, collective.input_blocks));
    case Operation::gather: return Conditions::gather(own(), collective.root);
    case Operation::scatter: return Conditions::scatter(own(), collective.root);
    case Operation::alltoall: return alltoall_conditions(call, algorithm.distances != nullptr);
    case Operation::barrier: break;
  }
  return {ranks, {}};
}

}  // namespace cuboid::detail
