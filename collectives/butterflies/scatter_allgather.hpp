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

/// The steps of a part of a message that is scattered and gathered by all. Colours share those
/// that are alike.
struct ScatterAllgather {
  std::vector<std::shared_ptr<const PartStep>> steps;

  int length() const { return static_cast<int>(steps.size()); }
  const PartStep& step(int number) const { return *steps[static_cast<std::size_t>(number)]; }
  /// Pieces that its part of a message is cut into by the first of its steps.
  int pieces(int scatter_steps) const;
  /// How many steps can scatter: all before one that lacks parts in some classes.
  int most_scatter_steps() const;
};

/// First one for each axis of a shape that begins with this axis, then the same in the other
/// direction: at any time all links are in use. Axes take turns.
/// @param parts  of most steps, see part_steps().
/// @param root   seen from which rings are the same whoever it is.
std::vector<ScatterAllgather> scatter_allgathers(const Shape& shape, int parts, NodeIndex root);

/// A broadcast or a reduce.
struct RootedTask {
  Flow flow = Flow::multicast;
  NodeIndex root = 0;
  int scatter_steps = 0;  ///< so many steps of each scatter
};

/// A broadcast of a message that is cut into colour_pieces(). Step by step whoever has been
/// reached sends each part to the nearest that keeps it: the first `scatter_steps` steps a part of
/// what is left, the others all of it. Then the first steps backwards are an all-gather, but to
/// those that were reached before the step. Every node but the root gets each piece once, so that a
/// reduce is the same backwards. Rounds go in step. Pieces are numbered so that every message is of
/// consecutive ones.
/// @param rank_of_node  by node of the shape.
/// @param only          make only what the rank of this node takes part in.
Rounds scatter_allgather_rounds(const Shape& shape, std::span<const ScatterAllgather> colours,
                                const RootedTask& task,
                                const std::function<int(NodeIndex)>& rank_of_node,
                                std::optional<int> only = {});

}  // namespace cuboid::detail
