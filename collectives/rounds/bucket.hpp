#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/pieces.hpp"
#include "collectives/schedules/rounds.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// One of the ways that blocks take. Each colour carries a share of every block.
struct BucketColour {
  std::vector<int> axes;  ///< the axes in the order in which an all-gather goes along them
  double share = 1;       ///< the share of every block; the shares of all colours add up to 1
  int pass = 0;           ///< colours of earlier passes go first
};

/// Colours that use all links of a shape at once. Each colour begins with another axis and goes in
/// both directions along every axis. Most bytes travel along a colour's last axis. On equal extents
/// every axis is the last axis of as many colours, so the bound is reached. On other extents the
/// shares make all links equally busy. Axes of extent 1 are left out; at least one axis must be
/// longer.
/// @param last    an axis that all colours go along last; its links do not count.
/// @param passes  the number of colours that take each way, one after another. Where extents
/// differ,
///                some colours then go along one axis while others are still on another.
/// @param rates   by axis, the rate of its links over the slowest rate. Shares make up for
///                differences, and orders that would only slow the others down are left out. Empty:
///                all rates are equal.
std::vector<BucketColour> bucket_colours(const Shape& shape, std::optional<int> last = {},
                                         int passes = 1, std::span<const double> rates = {});

/// The fraction of all blocks that crosses the busiest link of any axis but `last`. With `rates`,
/// the fraction that a link of the slowest rate would carry in the same time.
double busiest_bucket_link(const Shape& shape, std::span<const BucketColour> colours,
                           std::optional<int> last = {}, std::span<const double> rates = {});

/// An all-gather by the bucket algorithm for tori and meshes (Barnett et al. 1994; with all links
/// at once Jain and Sabharwal 2010). Along a colour's first axis every node passes on the blocks of
/// its line in both directions, one block at a time. Along the next axis it passes on the blocks of
/// a whole line together, then those of a plane, and so on. So a few long messages carry most
/// bytes. Round a ring a block goes half of the way in either direction. The opposite node of an
/// even ring gets one half of the block from either side. Σ⌊l_i/2⌋ rounds on rings of l_i nodes,
/// Σ(l_i − 1) on lines; a node sends (p − 1)/p of the message.
/// @param rank_at  the rank on each node of the shape.
/// @param only     make only what the rank of this node takes part in.
Rounds bucket_allgather(const Shape& shape, std::span<const BucketColour> colours,
                        std::span<const int> rank_at, std::optional<int> only = {});

/// A reduce-scatter: the rounds of bucket_allgather() backwards, combining.
Rounds bucket_reduce_scatter(const Shape& shape, std::span<const BucketColour> colours,
                             std::span<const int> rank_at, std::optional<int> only = {});

/// An all-reduce of a message of one block per rank: a reduce-scatter, then an all-gather.
Rounds bucket_allreduce(const Shape& shape, std::span<const BucketColour> colours,
                        std::span<const int> rank_at, std::optional<int> only = {});

/// The number of rounds that a colour takes along an axis.
int bucket_rounds(const Shape& shape, int axis);

/// The number of pieces of each colour's part of a block: two if some axis is an even ring.
int bucket_parts(const Shape& shape);

/// The pieces of every rank's block that these rounds move, colour by colour. Within a colour they
/// are in an order in which every message consists of consecutive pieces.
Pieces bucket_pieces(const Shape& shape, std::span<const BucketColour> colours,
                     std::span<const int> rank_at, const Conditions& conditions,
                     std::size_t element_bytes);
/// The same pieces of the one block of an all-reduce.
Pieces bucket_pieces(const Shape& shape, std::span<const BucketColour> colours,
                     const Conditions& conditions, std::size_t element_bytes);

}  // namespace cuboid::detail
