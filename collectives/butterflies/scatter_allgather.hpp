#pragma once

#include <cuboid/shape.hpp>

#include "collectives/butterflies/part_steps.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The steps by which one colour scatters its part of a message and gathers it on all nodes.
/// Colours with equal steps share them.
struct ScatterAllgather {
  std::vector<std::shared_ptr<const PartStep>> steps;

  int length() const { return static_cast<int>(steps.size()); }
  const PartStep& step(int number) const { return *steps[static_cast<std::size_t>(number)]; }
  /// The number of pieces of this colour's part of a message if the first `scattering` steps
  /// scatter.
  int pieces(int scatter_steps) const;
  /// The number of steps that can scatter: all steps before the first in which some class lacks a
  /// part.
  int most_scatter_steps() const;
};

/// The colours of a shape: first one for each axis, which begins with this axis, then the same in
/// the other direction. So all links are in use at any time. Within a colour the axes take turns.
/// @param parts  parts of most steps, see part_steps().
/// @param root   rings are seen from it, so their steps are the same whichever node it is.
std::vector<ScatterAllgather> scatter_allgathers(const Shape& shape, int parts, NodeIndex root);

/// A broadcast or a reduce.
struct RootedTask {
  Flow flow = Flow::multicast;
  NodeIndex root = 0;
  int scatter_steps = 0;  ///< the number of steps of each colour that scatter
};

/// A broadcast of a message that is cut into colour_pieces(). In each step every node that has been
/// reached sends each part to the nearest node that keeps the part. The first `scattering` steps
/// cut what is left into parts; later steps send all of it. Then the first steps backwards are an
/// all-gather; nodes that had been reached before a step have what it would bring. Every node but
/// the root gets each piece once, so the same rounds backwards are a reduce. Rounds go in lockstep.
/// Pieces are numbered so that every message consists of consecutive pieces.
/// @param rank_of_node  the rank on each node of the shape.
/// @param only          make only what the rank of this node takes part in.
Rounds scatter_allgather_rounds(const Shape& shape, std::span<const ScatterAllgather> colours,
                                const RootedTask& task,
                                const std::function<int(NodeIndex)>& rank_of_node,
                                std::optional<int> only = {});

}  // namespace cuboid::detail
