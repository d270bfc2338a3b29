#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Who exchanges with whom: partner[step][node]. After its steps everybody has heard of everybody,
/// once: of a number of nodes that is a power of two, each step joins two equal groups.
struct Butterfly {
  std::vector<std::vector<int>> partners;

  int steps() const { return static_cast<int>(partners.size()); }
};

/// Whether swing_butterflies() can serve a shape: all extents are powers of two.
bool swings(const Shape& shape);

/// Swing's butterflies (De Sensi et al., NSDI 2024; the distances are those of Bine trees, SC
/// 2025). Along a ring, in its i-th step, an even node exchanges with the one (1 − (−2)^(i+1))/3
/// above it and an odd one with the one as far below: at distances 1, 1, 3, 5, 11, … in turns to
/// either side, which stay shorter than doubled ones. Axes take turns. The 2d butterflies of a
/// shape of d axes begin each with another axis and swing both ways, so that at any time all links
/// are in use.
std::vector<Butterfly> swing_butterflies(const Shape& shape);

/// All-reduce of a message of (butterflies × nodes) blocks, an equal number through each butterfly:
/// reduce-scatter in messages that halve, and all-gather by the same steps backwards. 2·log2 p
/// rounds, each block sent 2·(p − 1)/p times in the mean. Blocks are numbered so that every message
/// is of consecutive ones.
/// @param rank_of_node  by node of the butterflies.
/// @param only          make only what the rank of this node takes part in.
Rounds butterfly_allreduce(std::span<const Butterfly> butterflies,
                           std::span<const int> rank_of_node, std::optional<int> only = {});

}  // namespace cuboid::detail
