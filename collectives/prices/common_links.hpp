#pragma once

#include <cuboid/shape.hpp>

#include "collectives/prices/call.hpp"
#include "models/simulator/equal_ranks.hpp"

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The links that messages cross which all ranks send at once, equally far along the axes of a
/// shape that numbers them. Along the axes of shape_of_ranks() those of a direction along an axis
/// are alike, and each crosses one axis after the other. Of any other shape, the messages of a
/// distance are counted where most meet (round_load()).
class CommonLinks {
 public:
  CommonLinks(const Call& call, const Shape& shape);

  /// A message so far upwards along every axis.
  CommonMessage message(std::span<const int> distances, double bytes) const;
  /// To the next node up (+1) or down (−1) an axis; nothing goes beyond the end of a line.
  CommonMessage to_neighbour(int axis, int direction, double bytes) const;
  /// Of the kinds of links that messages cross.
  std::span<const double> bytes_per_second() const { return rates_; }

 private:
  CommonMessage over_links(double links, std::vector<double> crossings, double bytes) const;
  double cross_axes(std::span<const int> distances, std::vector<double>& crossings) const;
  double cross_network(std::span<const int> distances, std::vector<double>& crossings) const;

  const Call& call_;
  Shape shape_;
  bool own_axes_;
  std::optional<int> slots_;  // the axis within nodes
  std::vector<double> rates_;
};

}  // namespace cuboid::detail
