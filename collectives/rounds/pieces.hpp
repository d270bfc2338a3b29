#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"

#include <optional>

namespace cuboid::detail {

// These functions make the rounds of all ranks, or with `only` the part of one rank.

/// A reduce-scatter: the rounds of dissemination_allgather() backwards, where the former receiver
/// of a message sends it and the former sender combines it. Every rank sends (p − 1)/p of the
/// message, as in recursive halving, which needs a power of two of ranks. Partial results cover
/// consecutive ranks modulo p, so the operation must commute.
Rounds dissemination_reduce_scatter(const Shape& shape, std::optional<int> only = {});

/// An all-reduce of a message of p blocks: a reduce-scatter, then an all-gather, both by
/// dissemination. 2·⌈log2 p⌉ rounds for any p, and every rank sends 2·(p − 1)/p of the message, as
/// in Rabenseifner's recursive halving and doubling for powers of two.
Rounds halving_doubling_allreduce(int ranks, std::optional<int> only = {});

/// A broadcast of a message of p blocks, which are scattered down a binomial tree and then
/// all-gathered by dissemination (van de Geijn; Quintin et al. 2013, §II, where a ring gathers in
/// p − 1 rounds). No rank receives a block that it has.
Rounds van_de_geijn_broadcast(int ranks, int root, std::optional<int> only = {});

}  // namespace cuboid::detail
