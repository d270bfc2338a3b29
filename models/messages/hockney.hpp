#pragma once

#include <cstddef>

namespace cuboid::detail {

/// Hockney's model of a network: a message of m bytes takes α + β·m seconds (Quintin et al. 2013,
/// §IV).
struct Hockney {
  double alpha = 0;  ///< seconds per message
  double beta = 0;   ///< seconds per byte
};

/// Seconds of collectives over `ranks` ranks under Hockney's model; `bytes` is the message (of
/// all-gather and reduce-scatter: all blocks together). All are 0 for one rank.

/// ⌈log2 p⌉·(α + β·m) (Quintin et al. 2013, §IV).
double binomial_seconds(const Hockney& network, int ranks, std::size_t bytes);
/// (p − 1)·(α + β·m): the root sends to one after the other.
double flat_seconds(const Hockney& network, int ranks, std::size_t bytes);
/// (p − 2 + s)·(α + β·m/s) with s segments of at most `segment_bytes` (Quintin et al. 2013, §IV-C).
double pipelined_chain_seconds(const Hockney& network, int ranks, std::size_t bytes,
                               std::size_t segment_bytes);
/// The segment that makes pipelined_chain_seconds smallest: s = √((p − 2)·β·m/α), up or
/// down to a whole number. At least 1 byte.
std::size_t best_chain_segment(const Hockney& network, int ranks, std::size_t bytes);
/// (s + D − 1)·(α + β·m/(c·s)): c trees of depth D at once, each carrying m/c bytes in s segments
/// of at most `segment_bytes`, no two sharing a link (the trees of Solomonik et al. 2011, §2, whose
/// eq 6 charges nothing for segments).
double pipelined_trees_seconds(const Hockney& network, int trees, int depth, std::size_t bytes,
                               std::size_t segment_bytes);
/// The same for pipelined_trees_seconds.
std::size_t best_tree_segment(const Hockney& network, int trees, int depth, std::size_t bytes);
/// How a tree passes segments on where a rank sends one message after the other: steps until the
/// last rank has the first segment, and steps from each segment to the next. A chain: {p − 1, 1}; a
/// binomial tree: {⌈log2 p⌉, ⌈log2 p⌉}; a flat one: {p − 1, p − 1}; a binary one about {2·log2 p,
/// 2}.
struct TreeSteps {
  double first = 0;
  double gap = 1;
  double depth = 1;   ///< edges from the root to the farthest rank
  double widest = 1;  ///< most messages that a rank sends of each segment
};
/// (first + (s − 1)·gap)·(α + β·m/s) with s segments of at most `segment_bytes`.
double pipelined_tree_seconds(const Hockney& network, TreeSteps tree, double bytes,
                              std::size_t segment_bytes);
/// The segment that makes it smallest: s = √((first − gap)·β·m / (gap·α)), up or down to a whole
/// number. At least 1 byte.
std::size_t best_segment(const Hockney& network, TreeSteps tree, double bytes);

/// 2·⌈log2 p⌉·α + 2·(p − 1)/p·β·m: all-reduce by reduce-scatter and all-gather, or a broadcast by
/// scatter and all-gather, in rounds that double or halve (Rabenseifner).
double scatter_allgather_seconds(const Hockney& network, int ranks, std::size_t bytes);
/// log2(p)·(α + β·m) for powers of two, else (⌊log2 p⌋ + 2)·(α + β·m).
double recursive_doubling_seconds(const Hockney& network, int ranks, std::size_t bytes);
/// ⌈log2 p⌉·α + (p − 1)/p·β·m (Bruck).
double dissemination_allgather_seconds(const Hockney& network, int ranks, std::size_t bytes);
/// (p − 1)·(α + β·m/p): all-gather or reduce-scatter round a ring.
double ring_seconds(const Hockney& network, int ranks, std::size_t bytes);

}  // namespace cuboid::detail
