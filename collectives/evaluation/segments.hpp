#pragma once

#include "collectives/evaluation/call.hpp"
#include "collectives/schedules/segmentation.hpp"

#include <cstddef>

namespace cuboid::detail {

/// The range of segments. Shorter segments cost more in handling than they gain in pipelining.
/// Longer segments gain nothing more, and leave the caches where they are combined.
constexpr std::size_t least_segment = 8 << 10;
constexpr std::size_t greatest_segment = 1 << 20;
/// The greatest segment within a node, where a message that nobody passes on is best read at once.
constexpr std::size_t greatest_segment_in_node = 16 << 20;
constexpr std::size_t greatest_combined_segment = 128 << 10;
/// Bytes of contributions that may wait within a node to be combined, in trees and in
/// reduce-scatters: a cache holds them beside other data. All-reduces in rounds and rings gain more
/// by fewer messages.
constexpr std::size_t combined_in_flight = 256 << 10;

/// `bytes` rounded down to whole elements, at least one element.
std::size_t whole_elements(const Call& call, std::size_t bytes);

/// The number of segments (a bundle) that a rank hands on together within a node: enough to be long
/// for memory, but a small part of what one tree carries. `slice`: bytes of one tree.
int sensible_bundle(std::size_t segment_bytes, double slice);

/// How segments of `segment` bytes are handed on within a node.
Pipelining pipelining_in_node(Flow flow, std::size_t segment);

/// The length of the runs of blocks that travel together in rounds.
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
/// The most segments of a slice. They fill a pipeline through the largest networks; more would only
/// add steps, of which a rank has a few for each segment.
constexpr std::size_t most_segments = 2048;

}  // namespace cuboid::detail
