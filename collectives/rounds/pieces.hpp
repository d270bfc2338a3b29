#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"

#include <optional>

namespace cuboid::detail {

/// All of these make the rounds of all ranks, or with `only` that rank's part of them.

/// Reduce-scatter by dissemination backwards: the rounds of dissemination_allgather() in reverse,
/// each message combined where it came from there. (p − 1)/p of the message sent once, the bytes
/// that recursive halving needs where it can run at all. Partial results cover ranks round a ring,
/// so the operation must commute.
Rounds dissemination_reduce_scatter(const Shape& shape, std::optional<int> only = {});

/// All-reduce of a message of p blocks: reduce-scatter, then all-gather, both by dissemination.
/// 2·⌈log2 p⌉ rounds for any p and 2·(p − 1)/p of the message sent, as Rabenseifner's recursive
/// halving and doubling does for powers of two.
Rounds halving_doubling_allreduce(int ranks, std::optional<int> only = {});

/// Broadcast of a message of p blocks: scattered down a binomial tree, then all-gathered by
/// dissemination (van de Geijn; Quintin et al. 2013, §II with a ring for the second part, which
/// takes p − 1 rounds). Nobody is sent what it has.
Rounds van_de_geijn_broadcast(int ranks, int root, std::optional<int> only = {});

}  // namespace cuboid::detail
