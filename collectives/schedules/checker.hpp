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

/// Proves that a forest fulfils conditions: its trees are trees, carry every byte of every block
/// exactly once, start where the data is and end where it must be. Throws Error(internal) naming
/// the tree and what is wrong with it. Time: linear in the edges.
void check(const Forest& forest, const Conditions& conditions);

/// The same for rounds, by following every block and contribution through them. Throws
/// Error(internal).
void check(const Rounds& rounds, const Conditions& conditions);

/// Proves that rounds are a barrier: every rank hears of every other's arrival.
void check_barrier(const Rounds& rounds);

/// Proves that rounds are an all-to-all of equal blocks: block d of a rank, at first the one for
/// the rank so far from it in a shape (node_at()), is at last the one from the rank from which it
/// is as far. Throws Error(internal).
void check_alltoall(const Rounds& rounds, const Shape& distances);

/// Proves that rounds are a scan: every rank ends with the contributions of the ranks below it and,
/// unless the scan is exclusive, its own, combined in rank order. Rank 0 of an exclusive scan may
/// end with anything. Throws Error(internal).
void check_prefix(const Rounds& rounds, const Conditions& conditions, Prefix prefix);

/// Proves that a plan for the group's board fulfils conditions or, without blocks, is a barrier:
/// see check_on_board(). Follows the first segments of each block; the others are like them.
void check(const BoardPlan& plan, const Conditions& conditions, const Pipelining& pipelining);

/// Every rank's schedule of a plan, between buffers that hold the message as it is.
std::vector<Schedule> compile_for_all(const BoardPlan& plan, const Conditions& conditions,
                                      const Pipelining& pipelining);

/// Proves of such schedules that, in whichever order their dependencies let steps run, they end,
/// whoever must have a block ends with it, combined in rank order, nobody reads a row before it is
/// written, or writes it before all have read what was there. Throws Error(internal). Time and
/// memory: the square of a rank's steps.
void check_on_board(std::vector<Schedule> schedules, const Conditions& conditions);

/// A directed edge that more than one tree uses, in the direction the data flows.
struct SharedEdge {
  int from = 0;
  int to = 0;
  std::vector<std::size_t> trees;
};

/// The edges on which trees get in each other's way; empty for an edge-disjoint forest.
std::vector<SharedEdge> shared_edges(const Forest& forest);

}  // namespace cuboid::detail
