#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// All-to-all of equal blocks along the axes of a shape that numbers the ranks; along one axis that
/// of Bruck et al. (1997). Every rank numbers its blocks by how far they have to go (node_at()). In
/// the rounds of doubling_rounds() those go the distance of a message whose own distances have this
/// binary digit along every axis that it goes along, and along no other of its round. They take the
/// places of those with the same numbers there. In a round a rank sends about half its blocks, and
/// block d of it is at last the one that the rank d below it had for it.
Rounds bruck_alltoall(const Shape& shape, std::optional<int> only = {});

/// A message of these rounds: it goes so far up along every axis, and has the blocks whose numbers
/// along every axis have the digit of its distance, and not that of others of its round.
struct DigitMessage {
  std::vector<int> distances;
  std::vector<int> of_others;
};

/// A rank's messages in each round, the same for every rank.
std::vector<std::vector<DigitMessage>> bruck_messages(const Shape& shape);

}  // namespace cuboid::detail
