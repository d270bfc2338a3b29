#include "collectives/node/segments.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include <unistd.h>

namespace cuboid::detail {

namespace {
constexpr std::size_t all_segments = 1 << 20;
constexpr std::uint32_t most_segments = 64;
}  // namespace

SegmentSizes SegmentSizes::for_cache(std::size_t bytes) {
  constexpr std::size_t shortest = 4 << 10;
  // Source, segment, destination, and a fourth part for everything else.
  constexpr std::size_t places = 4;
  constexpr std::size_t longest = all_segments / most_segments;
  const std::size_t segment = std::clamp(std::bit_floor(bytes / places), shortest, longest);
  return {.bytes = static_cast<std::uint32_t>(segment), .count = most_segments};
}

std::size_t first_level_cache() {
  constexpr std::size_t least = 32 << 10;
  const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : least;
}

std::size_t Segments::memory_for(const SegmentSizes& sizes) {
  return std::size_t{sizes.count} * (sizeof(Flag) + sizes.bytes);
}

std::byte* Segments::data(std::uint32_t number) const {
  return memory_ + sizes_.count * sizeof(Flag) + std::size_t{number} * sizes_.bytes;
}

std::atomic<std::uint32_t>& Segments::flag(std::uint32_t number) const {
  auto* const flags = std::launder(reinterpret_cast<Flag*>(memory_));
  return flags[number].in_use;
}

SegmentPool::SegmentPool(Segments segments, int readers)
    : segments_(segments), holds_(static_cast<std::size_t>(readers), 0) {
  for (std::uint32_t number = segments.sizes().count; number > 0; --number)
    free_.push_back(number - 1);
}

std::optional<std::uint32_t> SegmentPool::take(int reader) {
  if (!lent_.empty() && !segments_.in_use(lent_.front().segment)) {
    reclaim(lent_.front());
    lent_.pop_front();
  }
  std::uint32_t& held = holds_[static_cast<std::size_t>(reader)];
  if (held >= free_.size()) take_all_back();
  if (held >= free_.size()) return std::nullopt;
  const std::uint32_t segment = free_.back();
  free_.pop_back();
  lent_.push_back({segment, reader});
  ++held;
  segments_.use(segment);
  return segment;
}

void SegmentPool::reclaim(const Lent& lent) {
  free_.push_back(lent.segment);
  --holds_[static_cast<std::size_t>(lent.reader)];
}

void SegmentPool::take_all_back() {
  std::erase_if(lent_, [this](const Lent& lent) {
    const bool released = !segments_.in_use(lent.segment);
    if (released) reclaim(lent);
    return released;
  });
}

}  // namespace cuboid::detail
