#include "collectives/schedules/conditions.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace cuboid::detail {

BlockSequence BlockSequence::equal(std::size_t count, std::size_t bytes, Owner owner,
                                   std::optional<int> other) {
  BlockSequence blocks;
  blocks.count_ = count;
  blocks.bytes_ = bytes;
  blocks.owner_ = owner;
  blocks.other_ = other;
  return blocks;
}

Block BlockSequence::even(std::size_t block) const {
  const int rank = static_cast<int>(block);
  const bool is_before = owner_ == Owner::before;
  return {{block * bytes_, bytes_}, is_before ? rank : other_, is_before ? other_ : rank};
}

Block BlockSequence::at(std::size_t block) const {
  if (block >= size()) throw std::out_of_range("a block that is not there");
  return (*this)[block];
}

namespace {

// One block per rank, in rank order.
Conditions block_per_rank(std::span<const std::size_t> block_bytes, BlockSequence::Owner owner,
                          std::optional<int> other = {}) {
  Conditions conditions{.ranks = static_cast<int>(block_bytes.size())};
  const bool equal =
      std::ranges::adjacent_find(block_bytes, std::ranges::not_equal_to()) == block_bytes.end();
  if (equal && !block_bytes.empty()) {
    conditions.blocks = BlockSequence::equal(block_bytes.size(), block_bytes.front(), owner, other);
    return conditions;
  }
  conditions.blocks.reserve(block_bytes.size());
  std::size_t offset = 0;
  for (const std::size_t bytes : block_bytes) {
    const int rank = static_cast<int>(conditions.blocks.size());
    const bool is_before = owner == BlockSequence::Owner::before;
    conditions.blocks.push_back(
        {{offset, bytes}, is_before ? rank : other, is_before ? other : rank});
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
  return block_per_rank(block_bytes, BlockSequence::Owner::before);
}

Conditions Conditions::reduce_scatter(std::span<const std::size_t> block_bytes) {
  return block_per_rank(block_bytes, BlockSequence::Owner::after);
}

Conditions Conditions::gather(std::span<const std::size_t> block_bytes, int root) {
  return block_per_rank(block_bytes, BlockSequence::Owner::before, root);
}

Conditions Conditions::scatter(std::span<const std::size_t> block_bytes, int root) {
  return block_per_rank(block_bytes, BlockSequence::Owner::after, root);
}

std::size_t longest_block(const Conditions& conditions) {
  if (const auto bytes = conditions.blocks.equal_bytes()) return *bytes;
  std::size_t longest = 0;
  for (const Block& block : conditions.blocks) longest = std::max(longest, block.slice.bytes);
  return longest;
}

}  // namespace cuboid::detail
