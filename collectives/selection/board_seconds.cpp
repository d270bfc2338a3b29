#include "collectives/selection/board_seconds.hpp"

#include "collectives/schedules/checker.hpp"
#include "collectives/schedules/schedule.hpp"
#include "collectives/types/board_layout.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cuboid::detail {

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
