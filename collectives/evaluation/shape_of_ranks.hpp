#pragma once

#include <cuboid/shape.hpp>

#include "collectives/evaluation/call.hpp"
#include "collectives/rounds/bucket.hpp"

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// By axis of a group's shape, the rate of its links over the rate of the slowest axis with more
/// than one node. Empty: all axes are equally fast.
std::vector<double> relative_rates(const GroupNodes& group);

/// The shape that numbers a group's ranks: the shape of its nodes without axes of extent 1 and, if
/// each node has several ranks, one more axis. nullopt if there is none.
std::optional<Shape> shape_of_ranks(const Call& call);

/// shape_of_ranks() if it has several axes; nullopt if it has one. Rounds along a single axis are
/// the rounds of a ring of ranks.
std::optional<Shape> axes_of_ranks(const Call& call);

/// The ranks as a shape: the shape of the nodes and, if each node has the same number of several
/// ranks, one more axis (slots), along which all blocks go last.
struct Lattice {
  Shape shape;
  std::optional<int> slots = {};
  std::vector<double> rates = {};  ///< see bucket_colours()

  std::vector<BucketColour> colours(int passes = 1) const {
    return bucket_colours(shape, slots, passes, rates);
  }
  double rate(int axis) const { return rates.empty() ? 1 : rates[static_cast<std::size_t>(axis)]; }
  double busiest_link(std::span<const BucketColour> of) const {
    return busiest_bucket_link(shape, of, slots, rates);
  }
  /// Time in which the busiest colour uses its links over the time of the busiest link. It is
  /// greater than 1 if axes differ in length or rate.
  double alone(std::span<const BucketColour> colours) const;
  /// True if alone() is less than 1.02.
  bool is_even(std::span<const BucketColour> colours) const { return alone(colours) < 1.02; }
};

/// The lattice of a group; nullopt if its ranks have no shape.
std::optional<Lattice> lattice_of(const Call& call);

}  // namespace cuboid::detail
