#include "bindings/mpi/blocks.hpp"

#include <algorithm>
#include <limits>

namespace cuboid::detail::drop_in {

ByteBlocks::ByteBlocks(std::byte* base, MPI_Datatype type, Life life)
    : base_(base),
      layout_(layout_of(type)),
      type_(type, life == Life::request && !layout_.contiguous) {}

ByteBlocks ByteBlocks::one(void* base, int count, MPI_Datatype type, Life life) {
  return equal(base, count, 1, type, life);
}

ByteBlocks ByteBlocks::equal(void* base, int count, int ranks, MPI_Datatype type, Life life) {
  const std::vector<int> counts(index(ranks), count);
  return of(base, counts, {}, type, life);
}

ByteBlocks ByteBlocks::of(void* base, std::span<const int> counts,
                          std::span<const int> displacements, MPI_Datatype type, Life life) {
  ByteBlocks blocks(static_cast<std::byte*>(base), type, life);
  blocks.elements_.assign(counts.begin(), counts.end());
  if (displacements.empty()) {
    MPI_Aint next = 0;
    for (const int count : counts) {
      blocks.places_.push_back(next);
      next += count;
    }
  } else {
    blocks.places_.assign(displacements.begin(), displacements.end());
  }
  for (const int count : counts)
    blocks.counts_.push_back(static_cast<std::size_t>(count) * blocks.layout_.size);
  if (blocks.layout_.contiguous) {
    blocks.lay_out_in_place();
  } else {
    blocks.lay_out_packed();
  }
  return blocks;
}

/// Displacements are counted from the first byte used, because Cuboid's displacements are never
/// negative.
void ByteBlocks::lay_out_in_place() {
  MPI_Aint first = std::numeric_limits<MPI_Aint>::max();
  MPI_Aint end = std::numeric_limits<MPI_Aint>::min();
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    first = std::min(first, places_[i]);
    end = std::max(end, places_[i] + elements_[i]);
  }
  displacements_.resize(counts_.size());
  data_ = base_;
  if (first > end) return;
  data_ = base_ + first * layout_.extent;
  bytes_ = static_cast<std::size_t>((end - first) * layout_.extent);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    displacements_[i] = static_cast<std::size_t>((places_[i] - first) * layout_.extent);
  }
}

void ByteBlocks::lay_out_packed() {
  for (const std::size_t count : counts_) {
    displacements_.push_back(bytes_);
    bytes_ += count;
  }
  packed_ = std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(bytes_, 1));
  data_ = packed_.get();
}

void ByteBlocks::load(int number) {
  if (!packed_) return;
  const std::size_t i = index(number);
  pack(base_ + places_[i] * layout_.extent, elements_[i], type_.get(), block(number), counts_[i]);
}

void ByteBlocks::store(int number) {
  if (!packed_) return;
  const std::size_t i = index(number);
  unpack(block(number), counts_[i], base_ + places_[i] * layout_.extent, elements_[i], type_.get());
}

void ByteBlocks::load_all() {
  for (int i = 0; i < static_cast<int>(counts_.size()); ++i) load(i);
}

void ByteBlocks::store_all() {
  for (int i = 0; i < static_cast<int>(counts_.size()); ++i) store(i);
}

}  // namespace cuboid::detail::drop_in
