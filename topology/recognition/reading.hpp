#pragma once

#include <cuboid/network.hpp>
#include <cuboid/recognition.hpp>

#include "topology/recognition/embedding.hpp"
#include "topology/recognition/graph.hpp"

#include <optional>

namespace cuboid::detail::recognition {

/// Reads the answer off an embedding: gives the axes their canonical form, order, origin and
/// direction, tells double cables and rates, and lists what is missing and what is left over.
/// `whole` of the result is true where nothing is left over. nullopt if telling parallel cables
/// apart gives more than Shape::max_axes axes.
///
/// Two axes of extent 2 become one of extent 4 that wraps where their rates and cables are equal.
/// Where every longer axis has t cables in parallel, an axis of extent 2 with 2t cables wraps.
std::optional<Recognition> read_off(const Network& network, const Graph& graph,
                                    const Embedding& embedding);

}  // namespace cuboid::detail::recognition
