#pragma once

#include <cuboid/topology/shape.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// A shape and how fast its cables are.
struct ShapeSpec {
  Shape shape;
  /// One rate per axis, each way of each cable; 0 where it is not known.
  std::vector<double> bytes_per_second;
  bool operator==(const ShapeSpec&) const = default;
};

/// A shape as a person writes it: parts joined by commas, each giving the next axes.
///   torus:8x8x8   mesh:4x4   torus:4x3,mesh:2   hypercube:4 (mesh axes of extent 2)   ring:8
///   torus:4x4@100mbit (every axis of the part)   torus:4x4@100mbit/50mbit (one rate per axis)
///   node (no axes)
/// Rates as in parse_rate(). Throws Error(parse): one line with the position, what stands there and
/// the remedy.
ShapeSpec parse_shape(std::string_view text);

/// The text that parse_shape() reads back as the same shape and rates.
std::string to_string(const ShapeSpec& spec);

}  // namespace cuboid
