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
  /// How many segments go together where they are handed on within a node (Tree::local_fanout):
  /// memory is fast, but every message wakes a rank.
  int segments_per_bundle = 1;
  /// How many of a rank's messages to another may go at a time, the earliest segments first, where
  /// trees share cables; 0: all that are ready.
  int sends_at_a_time = 0;
};

/// The segments of a tree's slice and the messages that they travel in: one each or, where a
/// message is a bundle, several together. The engine's schedule and the simulator's transfers both
/// follow it.
class Segmentation {
 public:
  Segmentation(const Slice& slice, const Pipelining& pipelining);

  std::size_t segments() const { return segments_; }
  /// Of each but the last segment.
  std::size_t segment_bytes() const { return segment_bytes_; }
  std::size_t bytes(std::size_t segment) const { return message_bytes(segment, 1); }
  /// Messages that may be in flight on an edge.
  std::size_t window() const { return window_; }
  /// Segments per message on an edge within a node (Tree::local_fanout).
  std::size_t bundle() const { return bundle_; }

  /// Whether a segment is the first, or the last, of its message.
  bool begins(std::size_t segment, std::size_t bundle) const { return segment % bundle == 0; }
  bool ends(std::size_t segment, std::size_t bundle) const {
    return (segment + 1) % bundle == 0 || segment + 1 == segments_;
  }
  /// Of the message that a segment is in.
  std::size_t message_bytes(std::size_t segment, std::size_t bundle) const;

 private:
  std::size_t slice_bytes_;
  std::size_t segment_bytes_;
  std::size_t segments_;
  std::size_t window_;
  std::size_t bundle_;
};

/// Which of a tree's segments has its turn in `turn` of `turns`, as many as the longest tree has
/// segments. Trees of different lengths so advance and end together, as links that they share are
/// divided between them by their lengths.
std::optional<std::size_t> segment_in_turn(std::size_t turn, std::size_t turns,
                                           std::size_t segments);

/// The last `window` messages of an edge, or other actions of a kind: a new one waits for the one
/// `window` back.
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
  Id only_ = none;  // of a window of one, as most trees of short blocks have
  std::vector<Id> several_;
};

}  // namespace cuboid::detail
