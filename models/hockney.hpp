#pragma once

#include <cstddef>

namespace cuboid {

/// Hockney's model of a network: a message of m bytes takes α + β·m seconds (003 §II).
struct Hockney {
  double alpha = 0;  ///< seconds per message
  double beta = 0;   ///< seconds per byte
};

/// Seconds of collectives over `ranks` ranks under Hockney's model; `bytes` is the message (of
/// all-gather and reduce-scatter: all blocks together). All are 0 for one rank.

/// ⌈log2 p⌉·(α + β·m) (003 §IV).
double binomial_seconds(const Hockney& network, int ranks, std::size_t bytes);
/// (p − 1)·(α + β·m): the root sends to one after the other.
double flat_seconds(const Hockney& network, int ranks, std::size_t bytes);
/// (p − 2 + s)·(α + β·m/s) with s segments of at most `segment_bytes` (003 §II).
double pipelined_chain_seconds(const Hockney& network, int ranks, std::size_t bytes,
                               std::size_t segment_bytes);
/// The segment that makes pipelined_chain_seconds smallest: s = √((p − 2)·β·m/α), up or
/// down to a whole number. At least 1 byte.
std::size_t best_chain_segment(const Hockney& network, int ranks, std::size_t bytes);
/// (s + D − 1)·(α + β·m/(c·s)): c trees of depth D at once, each carrying m/c bytes in s segments
/// of at most `segment_bytes`, no two sharing a link (004 eq 6).
double pipelined_trees_seconds(const Hockney& network, int trees, int depth, std::size_t bytes,
                               std::size_t segment_bytes);
/// The same for pipelined_trees_seconds.
std::size_t best_tree_segment(const Hockney& network, int trees, int depth, std::size_t bytes);
/// log2(p)·(α + β·m) for powers of two, else (⌊log2 p⌋ + 2)·(α + β·m).
double recursive_doubling_seconds(const Hockney& network, int ranks, std::size_t bytes);
/// ⌈log2 p⌉·α + (p − 1)/p·β·m (Bruck).
double dissemination_allgather_seconds(const Hockney& network, int ranks, std::size_t bytes);
/// (p − 1)·(α + β·m/p): all-gather or reduce-scatter round a ring.
double ring_seconds(const Hockney& network, int ranks, std::size_t bytes);

}  // namespace cuboid
