#pragma once

#include "collectives/evaluation/call.hpp"
#include "collectives/schedules/segmentation.hpp"

#include <cstddef>

namespace cuboid::detail {

/// Shorter segments cost more in handling than they gain in pipelining; longer ones gain nothing
/// any more, and where they are combined, leave the caches.
constexpr std::size_t least_segment = 8 << 10;
constexpr std::size_t greatest_segment = 1 << 20;
/// Within a node, where a message that nobody passes on is best read in one go.
constexpr std::size_t greatest_segment_in_node = 16 << 20;
constexpr std::size_t greatest_combined_segment = 128 << 10;
/// Contributions that may wait within a node to be combined, in trees and in reduce-scatters: a
/// cache holds them beside the rest. All-reduces in rounds and rings gain more by fewer messages.
constexpr std::size_t combined_in_flight = 256 << 10;

/// `bytes`, or less, in whole elements; one at least.
std::size_t whole_elements(const Call& call, std::size_t bytes);

/// How many segments to hand on together within a node: so many that they are long for memory, but
/// a small part of what one tree carries. `slice`: bytes of one tree.
int sensible_bundle(std::size_t segment_bytes, double slice);

/// How segments of this size are handed on within a node.
Pipelining pipelining_in_node(Flow flow, std::size_t segment);

/// How long the runs of blocks are that travel together in rounds.
Pipelining pipelining_in_rounds(const Call& call);

/// How a rank cuts the slices of trees into segments of about `bytes` bytes.
///
/// @param usual  the settings that segments do not decide
/// @param slice  bytes of the longest slice of the trees
/// @param bytes  is rounded down to whole elements, at least one
Pipelining in_segments(const Call& call, const Pipelining& usual, std::size_t slice,
                       std::size_t bytes);

/// The longest and the shortest segment of a call's trees.
std::size_t greatest_segment_of(const Call& call);
std::size_t least_segment_of(const Call& call);
/// The most segments of a slice: they fill a pipeline through the largest networks. More would only
/// add steps, of which a rank has a few for each segment.
constexpr std::size_t most_segments = 2048;

}  // namespace cuboid::detail
