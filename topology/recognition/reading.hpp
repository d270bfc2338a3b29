#pragma once

#include <cuboid/network.hpp>
#include <cuboid/recognition.hpp>

#include "topology/recognition/embedding.hpp"
#include "topology/recognition/graph.hpp"

#include <optional>

namespace cuboid::detail::recognition {

/// Makes the recognition of a network from an embedding. It gives the axes their canonical form,
/// order, origin and direction, finds double cables and rates, and lists missing and left-over
/// nodes and cables. `whole` of the result is true if nothing is left over. nullopt if the shape
/// has more than Shape::max_axes axes after parallel cables have been told apart.
///
/// Two axes of extent 2 become one axis of extent 4 that wraps, if their rates and cables are
/// equal. If every longer axis has t parallel cables, an axis of extent 2 with 2t cables wraps.
std::optional<Recognition> read_off(const Network& network, const Graph& graph,
                                    const Embedding& embedding);

}  // namespace cuboid::detail::recognition
