#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/board_plan.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"
#include "collectives/schedules/schedule.hpp"
#include "collectives/schedules/segmentation.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// Proves that a forest fulfils the conditions: its trees are trees, carry every byte of every
/// block exactly once, start where the data is and end where it must be. Throws Error(internal),
/// which names the tree and what is wrong with it. Takes time linear in the number of edges.
void check(const Forest& forest, const Conditions& conditions);

/// Proves that rounds fulfil the conditions, by following every block and contribution through
/// them. Throws Error(internal).
void check(const Rounds& rounds, const Conditions& conditions);

/// Proves that rounds are a barrier: every rank learns that every other rank has arrived. Throws
/// Error(internal).
void check_barrier(const Rounds& rounds);

/// Proves that rounds are an all-to-all of equal blocks. Block d of a rank is at first the block
/// for the rank at distance d from it in the shape (node_at()), and at last the block from the rank
/// to which it is at distance d. Throws Error(internal).
void check_alltoall(const Rounds& rounds, const Shape& distances);

/// Proves that rounds are a scan: every rank ends with the contributions of the ranks below it and,
/// unless the scan is exclusive, its own, combined in rank order. Rank 0 of an exclusive scan may
/// end with anything. Throws Error(internal).
void check_prefix(const Rounds& rounds, const Conditions& conditions, Prefix prefix);

/// Proves that a plan for the group's board fulfils the conditions or, without blocks, is a
/// barrier; see check_on_board(). It follows the first segments of each block, which all others are
/// like.
void check(const BoardPlan& plan, const Conditions& conditions, const Pipelining& pipelining);

/// The schedule of every rank for a plan. Each rank's buffers hold the whole message.
std::vector<Schedule> compile_for_all(const BoardPlan& plan, const Conditions& conditions,
                                      const Pipelining& pipelining);

/// Proves of such schedules, for every order of steps that their dependencies allow: they end;
/// every rank that must have a block ends with it, combined in rank order; no rank reads a row
/// before it is written; no rank writes a row before all have read what was in its place. Throws
/// Error(internal). Takes time and memory in the square of a rank's number of steps.
void check_on_board(std::vector<Schedule> schedules, const Conditions& conditions);

/// A directed edge that several trees use, in the direction in which data flows.
struct SharedEdge {
  int from = 0;
  int to = 0;
  std::vector<std::size_t> trees;
};

/// The edges that several trees use; empty for an edge-disjoint forest.
std::vector<SharedEdge> shared_edges(const Forest& forest);

}  // namespace cuboid::detail
