#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// How the memory is divided through which a rank sends messages that are too long for an entry of
/// a mailbox.
struct SegmentSizes {
  std::uint32_t bytes = 0;  ///< the bytes of one segment
  std::uint32_t count = 0;

  /// The sizes for a first-level data cache of this many bytes. Source, segment and destination of
  /// a message together take at most three quarters of the cache, and all segments together at most
  /// 1 MiB.
  static SegmentSizes for_cache(std::size_t bytes);
};

/// The bytes of this core's first-level data cache, as the C library knows it. If it does not know:
/// 32 KiB, the least of any 64-bit processor in use.
std::size_t first_level_cache();

/// Segments in memory that is shared by their owner, who writes to them, and the readers. Each
/// segment has a cache line of its own that says if it is in use.
class Segments {
 public:
  static std::size_t memory_for(const SegmentSizes& sizes);

  /// @param memory  memory_for(sizes) bytes, zeroed at first and aligned to cache lines
  Segments(std::byte* memory, const SegmentSizes& sizes) : memory_(memory), sizes_(sizes) {}

  const SegmentSizes& sizes() const { return sizes_; }
  std::byte* data(std::uint32_t number) const;

  void use(std::uint32_t number) const { flag(number).store(1, std::memory_order_relaxed); }
  /// Gives the segment back to its owner. Called by the reader after its last read.
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

/// Which of its segments a rank may write to next. It prefers the segments that it used last,
/// because they are still in its cache. So it touches no more memory than the messages under way
/// need.
class SegmentPool {
 public:
  /// @param readers  the number of ranks that messages go to
  SegmentPool(Segments segments, int readers);

  /// A segment for a message to this reader, who will release it. Returns nullopt if no segment is
  /// free, or if the reader already holds as many as are free. So a reader that releases nothing
  /// leaves segments to the others (dynamic thresholds: Choudhury and Hahne 1998).
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
  std::vector<std::uint32_t> free_;   // the segment that was used last is at the end
  std::deque<Lent> lent_;             // oldest first
  std::vector<std::uint32_t> holds_;  // the number of segments that each reader holds
};

}  // namespace cuboid::detail
