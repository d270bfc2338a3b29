#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// How the memory is divided through which a rank sends messages that are too long for a mailbox's
/// entry.
struct SegmentSizes {
  std::uint32_t bytes = 0;  ///< of one segment
  std::uint32_t count = 0;

  /// For a first-level data cache of so many bytes: source, segment and destination of a message
  /// take three quarters of it, and all segments 1 MiB at most.
  static SegmentSizes for_cache(std::size_t bytes);
};

/// Bytes of this core's first-level data cache, as the C library knows it; 32 KiB, the least in use
/// on processors of 64 bits, where it does not.
std::size_t first_level_cache();

/// Segments in memory that their owner, who writes to them, and the readers share. Each segment
/// says in a cache line of its own whether it is in use.
class Segments {
 public:
  static std::size_t memory_for(const SegmentSizes& sizes);

  /// @param memory  zeroed at first, aligned to cache lines, memory_for(sizes) bytes
  Segments(std::byte* memory, const SegmentSizes& sizes) : memory_(memory), sizes_(sizes) {}

  const SegmentSizes& sizes() const { return sizes_; }
  std::byte* data(std::uint32_t number) const;

  void use(std::uint32_t number) const { flag(number).store(1, std::memory_order_relaxed); }
  /// As the reader: nothing is read from it any more.
  void release(std::uint32_t number) const { flag(number).store(0, std::memory_order_release); }
  bool in_use(std::uint32_t number) const {
    return flag(number).load(std::memory_order_acquire) != 0;
  }

 private:
  struct alignas(64) Flag {
    std::atomic<std::uint32_t> in_use = 0;
  };
  std::atomic<std::uint32_t>& flag(std::uint32_t number) const;

  std::byte* memory_;
  SegmentSizes sizes_;
};

/// Which of its segments a rank may write to next. Prefers those that it wrote to last, which are
/// still in its cache; so memory is touched only when so many messages are under way.
class SegmentPool {
 public:
  /// @param readers  number of ranks that messages go to
  SegmentPool(Segments segments, int readers);

  /// A segment for a message to this reader, who releases it; nullopt where it holds as many as are
  /// free, or none is. So a reader that releases nothing keeps none from the others (dynamic
  /// thresholds: Choudhury and Hahne 1998).
  std::optional<std::uint32_t> take(int reader);

  const Segments& segments() const { return segments_; }

 private:
  struct Lent {
    std::uint32_t segment;
    int reader;
  };
  void reclaim(const Lent& lent);
  void take_all_back();

  Segments segments_;
  std::vector<std::uint32_t> free_;   // used last: last
  std::deque<Lent> lent_;             // oldest first
  std::vector<std::uint32_t> holds_;  // by reader
};

}  // namespace cuboid::detail
