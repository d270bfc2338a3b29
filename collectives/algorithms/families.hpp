#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/deepest_branch.hpp"
#include "models/messages/hockney.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The entries of algorithms(), by family. Where two cost much the same, the earlier one is taken.
std::vector<Algorithm> shape_algorithms();        ///< that follow the network's shape
std::vector<Algorithm> bucket_algorithms();       ///< rounds along its axes
std::vector<Algorithm> packed_algorithms();       ///< on any network whose cables are known
std::vector<Algorithm> tree_rounds_algorithms();  ///< few messages: to one rank and back
std::vector<Algorithm> rounds_algorithms();  ///< few steps, or messages cut in as many as ranks
std::vector<Algorithm> swing_algorithms();   ///< few steps along the axes of a shape
std::vector<Algorithm> tree_algorithms();    ///< trees of ranks, whatever the network
std::vector<Algorithm> nested_algorithms();  ///< trees of trees
std::vector<Algorithm> ring_algorithms();
std::vector<Algorithm> path_algorithms();    ///< straight from rank to rank
std::vector<Algorithm> prefix_algorithms();  ///< of scans

/// What several families need.

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

/// `bytes` within these limits, in whole elements.
std::size_t sensible_segment(const Call& call, std::size_t bytes,
                             std::size_t least = least_segment);

/// How many segments to hand on together within a node: so many that they are long for memory, but
/// a small part of what one tree carries. `slice`: bytes of one tree.
int sensible_bundle(std::size_t segment_bytes, double slice);

/// What the cores need for so many edges of trees, each of which carries `slice` bytes in segments.
double core_seconds_of_edges(const Call& call, double edges, double slice, double segment);

/// Algorithm::pieces of a message that is cut into equally many elements, `count(call)` times.
template <int (*count)(const Call& call)>
std::vector<Piece> equal_pieces(const Call& call, const Conditions& conditions, const Settings&) {
  return equal_pieces(conditions, static_cast<std::size_t>(count(call)), call.element_bytes());
}

/// Pipelined trees that take these steps (see steps_of), `trees` at once for an equal part of the
/// message each, and `further` seconds that messages to distant nodes take longer.
CostEstimate estimate_trees(const Call& call, TreeSteps steps, int trees, double further = 0);

/// The same, the first segment taking what the deepest branch of these trees takes.
CostEstimate estimate_trees(const Call& call, TreeSteps steps, std::span<const RelativesOf> trees);

/// Seconds over a network of a block of each rank straight to each other rank, all at once. On a
/// box of nodes they go the shortest ways, which load its busiest links as its bound has it; where
/// the links are not known, they come one after the other.
double exchange_seconds(const Call& call, std::size_t block);

/// Rounds, each of which begins with what the one before brought.
struct RoundsSteps {
  double rounds = 0;
  double bytes = 0;       ///< that a rank receives in all of them, on average
  double combined = 0;    ///< of these, how many it combines
  double messages = 1;    ///< that a rank sends in each
  double copied = 0;      ///< bytes that a rank copies within its own memory
  double scratch = 0;     ///< bytes of its own that are neither input nor output
  double path_bytes = 0;  ///< received one after the other, by several ranks maybe, where more
  bool packed = false;    ///< it copies what it sends, each time before it does
};

/// A message as it is: in `seconds` over a network, in rounds within a node.
CostEstimate estimate_rounds(const Call& call, double seconds, const RoundsSteps& in_node);

}  // namespace cuboid::detail
