#pragma once

#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"
#include "collectives/schedules/segmentation.hpp"

#include <cstddef>
#include <limits>

namespace cuboid::detail {

double edges_of(const Forest& forest);
/// The edges between the roots and their children.
std::size_t edges_at_roots(const Forest& forest);

/// The messages over all edges of a forest.
double messages_of(const Forest& forest, const Pipelining& pipelining);
/// The messages of one segment of every tree.
double messages_of_a_segment(const Forest& forest);
/// The bytes of these messages.
double bytes_of(const Forest& forest);

/// Bytes of the longest slice of any tree.
std::size_t longest_slice(const Forest& forest);
/// The number of segments of the longest slice.
std::size_t segments_of(const Forest& forest, const Pipelining& pipelining);

/// The beginning of a forest's work: the first `count` of the `segments` segments of the longest
/// slice. The other slices are shortened in the same proportion, so that all trees end together.
Forest cut_off(Forest forest, std::size_t count, std::size_t segments);

/// The edges of the tree that has most of them.
std::size_t longest_tree(const Forest& forest);
/// True if every tree is a chain.
bool are_chains(const Forest& forest);
/// The first `edges` edges of every tree, from the root outwards.
Forest nearest_to_roots(Forest forest, std::size_t edges);

std::size_t exchanges_of(const Rounds& rounds);
/// The most bytes of an exchange.
std::size_t longest_exchange(const Rounds& rounds, const Conditions& conditions);
/// The messages of all exchanges; if they are more than `most`, some number above it.
std::size_t messages_of(const Rounds& rounds, const Conditions& conditions,
                        const Pipelining& pipelining,
                        std::size_t most = std::numeric_limits<std::size_t>::max());

/// The conditions of a shorter call: `share` of each block.
Conditions shorter(const Conditions& conditions, double share);

/// Extrapolates a pipeline of which the first `half` and the first `most` segments were simulated:
/// each further segment takes as long as a segment between these two.
struct PipelineStart {
  std::size_t half = 0;
  double half_seconds = 0;
  std::size_t most = 0;
  double most_seconds = 0;

  double each() const { return (most_seconds - half_seconds) / static_cast<double>(most - half); }
  double after(std::size_t segments) const {
    return half_seconds + each() * static_cast<double>(segments - half);
  }
};

}  // namespace cuboid::detail
