#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"
#include "collectives/schedules/slices.hpp"

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A step of a butterfly along one axis of a shape: groups of as many nodes as the radix, each of
/// which stands for one digit, exchange with each other. The same for all lines of the axis.
struct ButterflyStep {
  int axis = 0;
  int radix = 2;
  std::vector<int> digit;   ///< by position on the axis
  std::vector<int> member;  ///< by position · radix + digit: the position of whom a node meets
};

/// Who exchanges with whom. After all steps everybody has heard of everybody, once.
struct Butterfly {
  std::vector<ButterflyStep> steps;

  /// Pieces that its part of a message is cut into by the first of its steps.
  int pieces(int scattering) const;
};

/// The butterflies of a shape of d axes, two for each axis: they begin each with another axis and
/// go both ways, so that at any time all links are in use. Axes take turns.
///
/// Along an axis of a power of two of nodes they are Swing's (De Sensi et al., NSDI 2024; the
/// distances are those of Bine trees, SC 2025): in its i-th step, an even node exchanges with the
/// one (1 − (−2)^(i+1))/3 above it and an odd one with the one as far below: at distances 1, 1, 3,
/// 5, 11, … in turns to either side, which stay shorter than doubled ones. Other numbers of nodes
/// go by their prime factors (recursive multiplying: Ruefenacht, Bull and Booth 2017), groups of
/// neighbours first. All steps of an odd radix come before all of radix 2.
std::vector<Butterfly> swing_butterflies(const Shape& shape);

/// How many steps at least must scatter so that all ranks combine in the same order: those of an
/// odd radix.
int least_scattering(const Butterfly& butterfly);

/// All-reduce of a message that is cut into butterfly_pieces(): the first `scattering` steps of
/// each butterfly are a reduce-scatter in messages that shrink, the others, of radix 2, exchange
/// all that is left; then the first steps backwards are an all-gather. Pieces are numbered so that
/// every message is of consecutive ones.
/// @param rank_of_node  by node of the shape.
/// @param only          make only what the rank of this node takes part in.
Rounds butterfly_allreduce(const Shape& shape, std::span<const Butterfly> butterflies,
                           int scattering, std::span<const int> rank_of_node,
                           std::optional<int> only = {});

/// An equal part of a message for each butterfly, cut into as many pieces as it scatters.
std::vector<Piece> butterfly_pieces(std::span<const Butterfly> butterflies, int scattering,
                                    std::size_t bytes, std::size_t element_bytes);

}  // namespace cuboid::detail
