#include "collectives/selection/node_work.hpp"

#include "collectives/evaluation/segments.hpp"
#include "collectives/schedules/checker.hpp"
#include "collectives/schedules/schedule.hpp"
#include "collectives/schedules/slices.hpp"
#include "collectives/types/board_layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace cuboid::detail {

namespace {

bool has_a_block_per_rank(const Call& call) {
  return call.operation() == Operation::allgather || call.operation() == Operation::reduce_scatter;
}

// The bytes of a rank's input and output.
double own_memory(const Call& call) {
  const auto bytes = static_cast<double>(call.bytes());
  return has_a_block_per_rank(call) ? bytes + bytes / call.ranks() : 2 * bytes;
}

// The bytes that a rank reads and writes. Bytes that all ranks of a core read are divided among
// these ranks.
double touched_in_trees(const Call& call) {
  const double sharing = call.cost_model.ranks_per_core;
  const auto bytes = static_cast<double>(call.bytes());
  if (has_a_block_per_rank(call)) return own_memory(call) + bytes / sharing;
  if (call.flow() == Flow::multicast) return bytes + bytes / sharing;
  const double of_root = 3 * bytes / sharing;  // the contributions of two ranks, and the result
  const double of_each = call.flow() == Flow::combine ? bytes + bytes / call.ranks() : 2 * bytes;
  return std::max(of_root, of_each);
}

// The bytes that a rank copies from its input to its output. They count for calls in place as well:
// the call of one rank may be in place and the call of another not, and all ranks must compute the
// same prediction.
double own_block(const Call& call) {
  const bool keeps_one =
      call.operation() == Operation::allgather || call.operation() == Operation::alltoall;
  return keeps_one ? static_cast<double>(call.bytes()) / call.ranks() : 0;
}

// What the ranks of a node do in the trees of a forest.
struct TreesInNode {
  double depth = 0;
  double widest = 0;    // the most messages that a rank sends per segment
  double slice = 0;     // bytes of the longest slice
  double received = 0;  // bytes that a rank receives in all trees
  double combined = 0;  // bytes that a rank combines
  double edges = 0;
  double edge_bytes = 0;  // bytes over all edges
  double passed_on = 0;   // bytes over edges that do not leave a root
};

TreesInNode look_at(const Forest& forest) {
  TreesInNode all;
  const auto ranks = static_cast<std::size_t>(forest.ranks);
  std::vector<double> sent(ranks, 0), received(ranks, 0), combined(ranks, 0);
  std::vector<double> depth(ranks);
  for (const Tree& tree : forest.trees) {
    const auto slice = static_cast<double>(tree.slice.bytes);
    all.slice = std::max(all.slice, slice);
    depth[static_cast<std::size_t>(tree.root)] = 0;
    for (const auto& [parent, child] : tree.edges) {
      const auto from = static_cast<std::size_t>(parent);
      const auto to = static_cast<std::size_t>(child);
      depth[to] = depth[from] + 1;
      all.depth = std::max(all.depth, depth[to]);
      all.widest = std::max(all.widest, ++sent[from]);
      received[to] += slice;
      combined[from] += slice;
      ++all.edges;
      all.edge_bytes += slice;
      if (parent != tree.root) all.passed_on += slice;
    }
  }
  all.received = std::ranges::max(received);
  all.combined = std::ranges::max(combined);
  return all;
}

}  // namespace

// Contributions are copied and then combined. The contributions of a rank's children are combined
// one after the other.
double seconds_on_shared_cores(const Call& call, const Forest& forest, std::size_t segment_bytes) {
  const TreesInNode trees = look_at(forest);
  const auto segment = static_cast<double>(std::max<std::size_t>(segment_bytes, 1));
  const double segments = std::max(1.0, std::ceil(trees.slice / segment));
  const bool inwards = forest.flow != Flow::multicast;
  const bool outwards = forest.flow != Flow::combine;
  const double flows = inwards && outwards ? 2 : 1;
  const double first_hop = std::min(segment, trees.slice);
  const double down_the_tree = (std::max(trees.depth, 1.0) - 1) * first_hop + trees.received;
  // Forwarded data and results are fresh: the sender has just written them.
  const auto handed_on = [&](double bytes) { return trees.depth > 1 ? bytes - first_hop : 0.0; };
  NodeWork work;
  work.hops = flows * trees.depth;
  work.path_hops = trees.depth > 1 ? segments - 1 : 0;
  work.messages = flows * trees.edges * segments;
  if (outwards) {
    work.bytes += trees.edge_bytes;
    work.fresh += inwards ? trees.edge_bytes : trees.passed_on;
  }
  if (inwards) {
    work.bytes += trees.edge_bytes;
    work.fresh += trees.passed_on;
    work.combined += trees.edge_bytes;
  }
  work.copied = call.ranks() * own_block(call);
  NodeMemory memory = call.cost_model.memory(touched_in_trees(call), first_hop);
  const auto seconds = [&](double combined, double taken_in, double messages) {
    NodeWork along = work;
    along.path_messages = std::max(messages, work.hops + segments - 1);
    along.path_bytes = combined + taken_in;
    along.path_fresh = handed_on(combined) + (inwards ? taken_in : handed_on(taken_in));
    along.path_combined = combined;
    along.path_copied = own_block(call);
    return node_seconds(memory, call.ranks(), along);
  };
  const double combined = inwards ? std::max(down_the_tree, trees.combined) : 0;
  const double taken_in = outwards ? down_the_tree : 0;
  const double messages = trees.widest * segments;
  // Without forwarding, results go to other ranks than those that combine, so both work at the same
  // time.
  if (inwards && outwards && trees.depth <= 1) {
    memory.overhead = std::max(memory.overhead, memory.crowded_overhead);
    memory.message.beta = std::max(memory.message.beta, memory.crowded_beta);
    return std::max(seconds(combined, first_hop, messages), seconds(first_hop, taken_in, segments));
  }
  return seconds(combined, taken_in, messages);
}

double seconds_on_shared_cores(const Call& call, const Rounds& rounds, const Conditions& conditions,
                               const Pipelining& pipelining) {
  const auto ranks = static_cast<std::size_t>(rounds.ranks);
  NodeWork work;
  double longest_message = 0;
  for (const auto& round : rounds.rounds) {
    if (round.empty()) continue;
    std::vector<double> sent(ranks, 0), received(ranks, 0), bytes(ranks, 0), combined(ranks, 0);
    for (const Exchange& exchange : round) {
      double messages = 1;
      double carried = 0;
      if (!exchange.blocks.empty()) {
        double runs = 0;
        for_each_run(exchange.blocks, conditions, pipelining.segment_bytes,
                     [&](const BlockRun& run) {
                       ++runs;
                       carried += static_cast<double>(run.bytes);
                     });
        if (!rounds.packed) messages = runs;
      }
      const auto to = static_cast<std::size_t>(exchange.receiver);
      sent[static_cast<std::size_t>(exchange.sender)] += messages;
      received[to] += messages;
      bytes[to] += carried;
      if (exchange.combine) combined[to] += carried;
      work.messages += messages;
      work.bytes += carried;
      if (exchange.combine) work.combined += carried;
      longest_message = std::max(longest_message, carried / messages);
    }
    ++work.hops;
    work.path_messages += std::max(std::ranges::max(sent), std::ranges::max(received));
    work.path_bytes += std::ranges::max(bytes);
    work.path_combined += std::ranges::max(combined);
  }
  const double each = call.ranks();
  // Every round except the first forwards what the round before brought.
  const double fresh = rounds.packed ? 1 : 1 - 1 / std::max(work.hops, 1.0);
  const double packing = rounds.packed ? 2 : 0;
  work.copied = packing * work.bytes + each * own_block(call);
  work.path_copied = packing * work.path_bytes + own_block(call);
  work.fresh = fresh * work.bytes;
  work.path_fresh = fresh * work.path_bytes;
  // A contribution is read by one rank, a result by all ranks that share the core.
  const bool results = call.operation() != Operation::alltoall;
  const double of_others =
      results ? (work.bytes - work.combined) / each / call.cost_model.ranks_per_core : 0;
  const double scratch = (work.combined + packing * work.bytes) / each;
  const NodeMemory memory =
      call.cost_model.memory(own_memory(call) + scratch + of_others, longest_message);
  return node_seconds(memory, call.ranks(), work);
}

namespace {

/// The work of one rank.
struct RankWork {
  double waits = 0;    ///< waits for rows of other ranks
  double lines = 0;    ///< cache lines of other ranks that it reads: the flags, and short data that
                       ///< shares a line with its flag
  double read = 0;     ///< bytes copied from the board
  double written = 0;  ///< bytes copied to the board, or within this rank's memory
  double combined = 0;

  RankWork& operator*=(double times) {
    waits *= times;
    lines *= times;
    read *= times;
    written *= times;
    combined *= times;
    return *this;
  }
  RankWork& operator+=(const RankWork& other) {
    waits += other.waits;
    lines += other.lines;
    read += other.read;
    written += other.written;
    combined += other.combined;
    return *this;
  }
};

// The number of segments that are inspected; the other segments are like them.
constexpr std::size_t enough_segments = 2 * BoardLayout::rows;

Conditions first_segments(const Conditions& conditions, std::size_t segment_bytes) {
  Conditions first{conditions.ranks, {}};
  for (Block block : conditions.blocks) {
    block.slice.bytes = std::min(block.slice.bytes, enough_segments * segment_bytes);
    first.blocks.push_back(block);
  }
  return first;
}

RankWork work_of(const Schedule& schedule, int ranks) {
  RankWork work;
  for (const Step& step : schedule.steps) {
    double pieces = 0;
    schedule.for_each_piece(step, [&pieces](const Step&) { ++pieces; });
    const double bytes = pieces * static_cast<double>(step.bytes);
    switch (step.kind) {
      case Step::Kind::await:
        ++work.waits;
        work.lines += step.peer == Step::all_peers ? ranks - 1 : 1;
        break;
      case Step::Kind::claim:
        work.lines += (ranks - 1.0) / static_cast<double>(BoardLayout::rows);
        break;
      case Step::Kind::combine: work.combined += bytes; break;
      case Step::Kind::copy:
        (step.source.area == Area::board ? work.read : work.written) += bytes;
        break;
      default: break;
    }
  }
  return work;
}

}  // namespace

double board_seconds(const BoardPlan& plan, const Conditions& conditions,
                     const Pipelining& pipelining, const Call& call) {
  const auto bytes = static_cast<double>(call.bytes());
  NodeMemory memory = call.cost_model.memory(2 * bytes, bytes);
  memory.message.alpha = call.cost_model.line_seconds;
  memory.overhead = memory.crowded_overhead = call.cost_model.line_seconds;

  const Conditions begin = first_segments(conditions, pipelining.segment_bytes);
  const std::vector<Schedule> schedules = compile_for_all(plan, begin, pipelining);
  RankWork all, busiest;
  double longest = -1;
  for (const Schedule& schedule : schedules) {
    const RankWork work = work_of(schedule, plan.ranks);
    all += work;
    const double its = memory.message.beta * work.read + memory.copy_beta * work.written +
                       memory.combine_beta * work.combined;
    if (its <= longest) continue;
    longest = its;
    busiest = work;
  }
  const std::size_t beginning = longest_block(begin);
  const double times = beginning == 0 ? 1
                                      : static_cast<double>(longest_block(conditions)) /
                                            static_cast<double>(beginning);
  busiest *= times;
  all *= times;
  // A reader waits for the first segment, and then each time the writer has run out of rows. At all
  // other times writers are ahead of readers.
  const double rows = times * schedules.front().board_rows;
  const double phases = conditions.blocks.empty() ? busiest.waits : plan.by_parts ? 2 : 1;
  const double first = std::min(bytes, static_cast<double>(pipelining.segment_bytes));
  return node_seconds(memory, plan.ranks,
                      {.hops = phases,
                       .path_hops = rows / static_cast<double>(BoardLayout::rows),
                       .path_messages = busiest.lines,
                       .path_bytes = busiest.read,
                       .path_combined = busiest.combined,
                       .path_copied = busiest.written + first,
                       .messages = all.lines,
                       .bytes = all.read,
                       .combined = all.combined,
                       .copied = all.written});
}

}  // namespace cuboid::detail
