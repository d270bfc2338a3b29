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

enum class Access { read, written };

/// Calls act(access, address, bytes) for all memory that a step touches; a repeated step touches
/// some of it for each piece.
template <class Act>
void for_each_access(const Schedule& schedule, const Step& step, const Act& act) {
  using Kind = Step::Kind;
  if (step.bytes == 0) return;
  const bool moves = step.kind == Kind::copy || step.kind == Kind::combine;
  schedule.for_each_piece(step, [&](const Step& piece) {
    if (moves || step.kind == Kind::send) act(Access::read, piece.source, piece.bytes);
    if (step.kind == Kind::combine) act(Access::read, piece.right, piece.bytes);
    if (moves || step.kind == Kind::receive || step.kind == Kind::finish)
      act(Access::written, piece.destination, piece.bytes);
  });
}

/// The footprint of a schedule in one of the caller's buffers.
Footprint footprint_of(const Schedule& schedule, Area area);

}  // namespace cuboid::detail
