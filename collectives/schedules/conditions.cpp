#include "collectives/schedules/conditions.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

// One block per rank, in rank order. `block(rank, slice)` returns the block of a rank.
template <class MakeBlock>
Conditions block_per_rank(std::span<const std::size_t> block_bytes, MakeBlock block) {
  Conditions conditions{.ranks = static_cast<int>(block_bytes.size())};
  std::size_t offset = 0;
  for (int rank = 0; rank < conditions.ranks; ++rank) {
    const std::size_t bytes = block_bytes[static_cast<std::size_t>(rank)];
    conditions.blocks.push_back(block(rank, Slice{offset, bytes}));
    offset += bytes;
  }
  return conditions;
}

}  // namespace

Conditions Conditions::broadcast(int ranks, std::size_t bytes, int root) {
  return {ranks, {Block{{0, bytes}, root, std::nullopt}}};
}

Conditions Conditions::reduce(int ranks, std::size_t bytes, int root) {
  return {ranks, {Block{{0, bytes}, std::nullopt, root}}};
}

Conditions Conditions::allreduce(int ranks, std::size_t bytes) {
  return {ranks, {Block{{0, bytes}, std::nullopt, std::nullopt}}};
}

Conditions Conditions::allgather(std::span<const std::size_t> block_bytes) {
  return block_per_rank(block_bytes, [](int rank, Slice slice) {
    return Block{slice, rank, std::nullopt};
  });
}

Conditions Conditions::reduce_scatter(std::span<const std::size_t> block_bytes) {
  return block_per_rank(block_bytes, [](int rank, Slice slice) {
    return Block{slice, std::nullopt, rank};
  });
}

Conditions Conditions::gather(std::span<const std::size_t> block_bytes, int root) {
  return block_per_rank(block_bytes, [root](int rank, Slice slice) {
    return Block{slice, rank, root};
  });
}

Conditions Conditions::scatter(std::span<const std::size_t> block_bytes, int root) {
  return block_per_rank(block_bytes, [root](int rank, Slice slice) {
    return Block{slice, root, rank};
  });
}

std::size_t longest_block(const Conditions& conditions) {
  std::size_t longest = 0;
  for (const Block& block : conditions.blocks) longest = std::max(longest, block.slice.bytes);
  return longest;
}

}  // namespace cuboid::detail
