#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"
#include "collectives/schedules/slices.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// One of the ways that a part of every block takes.
struct BucketColour {
  std::vector<int> axes;  ///< in the order in which an all-gather goes along them
  double share = 1;       ///< of every block; all colours together: 1
  int pass = 0;           ///< colours of earlier passes go first
};

/// Colours that use all links of a shape at once: the orders that begin each with another axis.
/// Each goes both ways along every axis. On equal extents each axis is the last one of as many
/// colours, which is where most bytes travel, and the bound is reached; on others the shares make
/// all links equally busy. Axes of extent 1 are left out; at least one must be longer.
/// @param last   an axis that all colours go along last, and whose links do not count.
/// @param passes  the number of colours that take each of these ways, one after the other. Where
///               axes differ in length, some colours go along one axis while others are still on
///               another.
/// @param rates  of the links of each axis, in multiples of the slowest: shares make up for them,
///               and orders that would only slow the others down are left out. Empty: all alike.
std::vector<BucketColour> bucket_colours(const Shape& shape, std::optional<int> last = {},
                                         int passes = 1, std::span<const double> rates = {});

/// How much of a message of all blocks crosses the busiest link of any of the axes of colours,
/// `last` apart; with `rates`, how much one of the slowest would carry in the same time.
double busiest_bucket_link(const Shape& shape, std::span<const BucketColour> colours,
                           std::optional<int> last = {}, std::span<const double> rates = {});

/// The bucket algorithm for tori and meshes (Barnett et al. 1994; with all links at once Jain and
/// Sabharwal 2010). All-gather of colour after colour: along its first axis every node passes on
/// the blocks of its line both ways, one at a time; along the next one those of a line together;
/// and so on, so few and long messages carry most bytes. Round a ring a block goes half-way either
/// way; to the opposite node, of an even ring, one half of it goes each way. Σ⌊l_i/2⌋ rounds, on
/// lines Σ(l_i − 1), (p − 1)/p of the message.
/// @param rank_at  by node of the shape.
/// @param only     make only what the rank of this node takes part in.
Rounds bucket_allgather(const Shape& shape, std::span<const BucketColour> colours,
                        std::span<const int> rank_at, std::optional<int> only = {});

/// The same backwards, combining.
Rounds bucket_reduce_scatter(const Shape& shape, std::span<const BucketColour> colours,
                             std::span<const int> rank_at, std::optional<int> only = {});

/// Both, one after the other, of as many blocks of a message.
Rounds bucket_allreduce(const Shape& shape, std::span<const BucketColour> colours,
                        std::span<const int> rank_at, std::optional<int> only = {});

/// How many rounds a colour takes along an axis.
int bucket_rounds(const Shape& shape, int axis);

/// How many pieces each colour's part of a block is: two if an axis is an even ring.
int bucket_parts(const Shape& shape);

/// The pieces of a block per rank that these rounds move: colour by colour, in an order in which
/// the blocks of every message lie one after the other.
std::vector<Piece> bucket_pieces(const Shape& shape, std::span<const BucketColour> colours,
                                 std::span<const int> rank_at, const Conditions& conditions,
                                 std::size_t element_bytes);
/// Those of the one block of an all-reduce, in its own order.
std::vector<Piece> bucket_pieces(const Shape& shape, std::span<const BucketColour> colours,
                                 const Conditions& conditions, std::size_t element_bytes);

}  // namespace cuboid::detail
