#pragma once

#include "collectives/schedules/conditions.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// The segmentation of a tree's slice, and how much of it may be in flight.
struct Pipelining {
  std::size_t segment_bytes = 65536;  ///< a multiple of the element's size
  int segments_in_flight = 8;         ///< per edge, at most Tag::max_segments_in_flight
  /// The number of segments of a message within a node (Tree::local_fanout), where memory is fast
  /// but every message wakes a rank.
  int segments_per_bundle = 1;
  /// Where trees share cables: the most messages from one rank to another at a time, the earliest
  /// segments first. 0: no limit.
  int sends_at_a_time = 0;
  bool operator==(const Pipelining&) const = default;
};

/// The segments of a tree's slice, and the messages in which they travel: one segment each or,
/// within a node, a bundle of several. The engine's schedules and the simulator's transfers both
/// follow it.
class Segmentation {
 public:
  Segmentation(const Slice& slice, const Pipelining& pipelining);

  std::size_t segments() const { return segments_; }
  /// The bytes of each segment but the last.
  std::size_t segment_bytes() const { return segment_bytes_; }
  std::size_t bytes(std::size_t segment) const { return message_bytes(segment, 1); }
  /// The number of messages that may be in flight on an edge.
  std::size_t window() const { return window_; }
  /// The number of segments of a message on an edge within a node (Tree::local_fanout).
  std::size_t bundle() const { return bundle_; }

  /// True if a segment is the first, or the last, of its message of `bundle` segments.
  bool begins(std::size_t segment, std::size_t bundle) const { return segment % bundle == 0; }
  bool ends(std::size_t segment, std::size_t bundle) const {
    return (segment + 1) % bundle == 0 || segment + 1 == segments_;
  }
  /// The bytes of the message that a segment is in.
  std::size_t message_bytes(std::size_t segment, std::size_t bundle) const;

 private:
  std::size_t slice_bytes_;
  std::size_t segment_bytes_;
  std::size_t segments_;
  std::size_t window_;
  std::size_t bundle_;
};

/// The segment of a tree that has its turn in `turn` of `turns`, the number of segments of the
/// longest tree; nullopt: none. So trees of different lengths advance and end together, and share
/// links in proportion to their lengths.
std::optional<std::size_t> segment_in_turn(std::size_t turn, std::size_t turns,
                                           std::size_t segments);

/// The last `window` messages of an edge, or other actions of one kind. A new message waits for the
/// message `window` before it.
class InFlight {
 public:
  using Id = std::uint32_t;
  static constexpr Id none = std::numeric_limits<Id>::max();

  explicit InFlight(std::size_t window) : several_(window > 1 ? window : 0, none) {}

  Id oldest(std::size_t number) const {
    return several_.empty() ? only_ : several_[number % several_.size()];
  }
  void push(std::size_t number, Id id) {
    (several_.empty() ? only_ : several_[number % several_.size()]) = id;
  }

 private:
  Id only_ = none;  // for a window of one message, as most trees of short blocks have
  std::vector<Id> several_;
};

}  // namespace cuboid::detail
