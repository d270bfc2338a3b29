#pragma once

#include <cuboid/network.hpp>

#include "topology/recognition/embedding.hpp"
#include "topology/recognition/graph.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail::recognition {

/// One axis of an embedding: its extent, the kind of its cables, and each vertex's position on it.
struct AxisReading {
  Axis axis;
  int parallel_cables = 1;      ///< the number of cables that make one cable of the shape
  double bytes_per_second = 0;  ///< the rate of one of these cables; the most common rate
  std::vector<int> position;    ///< by vertex; -1: not placed
};

/// The axes of an embedding in their canonical form, order, origin and direction.
std::vector<AxisReading> canonical_axes(const Network& network, const Graph& graph,
                                        const Embedding& embedding);

/// True if all cables of each axis have the same rate, and all edges of each axis have equally many
/// cables. An embedding of a damaged network for which this holds is to be preferred: the cables
/// confirm its axes.
bool uniform_cables(const Network& network, const Graph& graph, const Embedding& embedding);

/// The axis along which two vertices are one cable apart; -1 if they are not neighbours or not
/// placed.
int axis_between(const std::vector<AxisReading>& axes, int one, int other);

}  // namespace cuboid::detail::recognition
