#pragma once

#include <cuboid/shape.hpp>

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// How far the messages of a round go along each axis of a shape that numbers the ranks; 0: not
/// along that axis in this round. A rank sends a message for every combination of the axes that it
/// goes along.
using DoublingRound = std::vector<int>;

/// Distances 1, 2, 4, … along one axis after the other, the last first, so that after the rounds
/// along an axis of extent n every distance below n is a sum of some of them. Where n is no power
/// of two, the last of them serves the n − 2^⌊log2 n⌋ positions that are left. Up to three axes go
/// that last step together, in a round of up to seven messages, so that there are
/// Σ ⌊log2 n⌋ rounds and one for three such axes.
std::vector<DoublingRound> doubling_rounds(const Shape& shape);

/// The messages of a round, by how far each goes along every axis.
std::vector<std::vector<int>> messages_of(const DoublingRound& round);

/// The number that a node has that is so far from the first one along every axis.
NodeIndex number_of(const Shape& shape, std::span<const int> distances);

/// The ranks whose messages to those so far from them (node_at()) concern `only`, or all.
std::vector<int> senders(const Shape& shape, NodeIndex distance, std::optional<int> only);

/// The nodes at these positions along every axis; ascending, if the positions are.
std::vector<int> nodes_at(const Shape& shape, std::span<const std::vector<int>> positions);

}  // namespace cuboid::detail
