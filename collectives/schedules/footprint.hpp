#pragma once

#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// Bytes of a buffer: from `begin` to before `end`.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const ByteRange&) const = default;
};

/// What a schedule's steps touch of a buffer. The ranges are ascending and apart.
struct Footprint {
  std::vector<ByteRange> read;
  std::vector<ByteRange> written;

  /// The ranges that are read and never written: their content is the caller's.
  std::vector<ByteRange> only_read() const;
  bool empty() const { return read.empty() && written.empty(); }
  /// The range from the first byte that is touched to the last.
  ByteRange hull() const;
};

/// The footprint of a schedule in one of the caller's buffers.
Footprint footprint_of(const Schedule& schedule, Area area);

}  // namespace cuboid::detail
