#include <cuboid/collectives/contract.hpp>

namespace cuboid {

namespace {

// One block per rank, one behind the other; `block(rank, slice)` says whose it is before and after.
template <class MakeBlock>
Contract block_per_rank(std::span<const std::size_t> block_bytes, MakeBlock block) {
  Contract contract{.ranks = static_cast<int>(block_bytes.size())};
  std::size_t offset = 0;
  for (int rank = 0; rank < contract.ranks; ++rank) {
    const std::size_t bytes = block_bytes[static_cast<std::size_t>(rank)];
    contract.blocks.push_back(block(rank, Slice{offset, bytes}));
    offset += bytes;
  }
  return contract;
}

}  // namespace

Contract Contract::broadcast(int ranks, std::size_t bytes, int root) {
  return {ranks, {Block{{0, bytes}, root, std::nullopt}}};
}

Contract Contract::reduce(int ranks, std::size_t bytes, int root) {
  return {ranks, {Block{{0, bytes}, std::nullopt, root}}};
}

Contract Contract::allreduce(int ranks, std::size_t bytes) {
  return {ranks, {Block{{0, bytes}, std::nullopt, std::nullopt}}};
}

Contract Contract::allgather(std::span<const std::size_t> block_bytes) {
  return block_per_rank(block_bytes, [](int rank, Slice slice) {
    return Block{slice, rank, std::nullopt};
  });
}

Contract Contract::reduce_scatter(std::span<const std::size_t> block_bytes) {
  return block_per_rank(block_bytes, [](int rank, Slice slice) {
    return Block{slice, std::nullopt, rank};
  });
}

Contract Contract::gather(std::span<const std::size_t> block_bytes, int root) {
  return block_per_rank(block_bytes, [root](int rank, Slice slice) {
    return Block{slice, rank, root};
  });
}

Contract Contract::scatter(std::span<const std::size_t> block_bytes, int root) {
  return block_per_rank(block_bytes, [root](int rank, Slice slice) {
    return Block{slice, root, rank};
  });
}

}  // namespace cuboid
