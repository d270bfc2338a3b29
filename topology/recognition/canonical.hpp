#pragma once

#include <cuboid/network.hpp>

#include "topology/recognition/embedding.hpp"
#include "topology/recognition/graph.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail::recognition {

/// One axis, with what its cables are like and where each vertex is along it.
struct AxisReading {
  Axis axis;
  int parallel_cables = 1;      ///< cables that make one cable of the shape
  double bytes_per_second = 0;  ///< of one of them, the commonest
  std::vector<int> position;    ///< of each vertex; -1: not placed
};

/// The axes of an embedding in canonical form, order, origin and direction.
std::vector<AxisReading> canonical_axes(const Network& network, const Graph& graph,
                                        const Embedding& embedding);

/// True if all cables of an axis have the same rate, and the edges of an axis equally many of them.
/// An embedding of a damaged network for which this holds is to be preferred: the cables confirm
/// the axes.
bool uniform_cables(const Network& network, const Graph& graph, const Embedding& embedding);

/// The axis along which two vertices are one cable apart, or -1: those that are not neighbours, or
/// not placed.
int axis_between(const std::vector<AxisReading>& axes, int one, int other);

}  // namespace cuboid::detail::recognition
