#include "collectives/algorithms/families.hpp"
#include "collectives/evaluation/segments.hpp"
#include "collectives/schedules/board_plan.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

namespace {

bool is_combined_by_all(const Call& call) {
  return call.operation() == Operation::reduce || call.operation() == Operation::allreduce;
}

BoardPlan board_plan(const Call& call, const Settings& settings) {
  return {.ranks = call.ranks(),
          .lane_per_rank = call.operation() == Operation::reduce_scatter ||
                           call.operation() == Operation::alltoall,
          .by_parts = settings.by_parts};
}

// Settings use full rows. With few bytes in each row, the same cache lines would go to and fro
// between cores (2 cores of a Xeon copied 8 KiB segments at 9 GB/s, 32 KiB segments at 15).
std::vector<Settings> settings_of_shared_memory(const Call& call) {
  std::vector<Settings> all;
  constexpr int most_ranks = 128;  // each looks at the flags of all others
  const bool serves = call.cost_model.shares_memory && call.ranks() > 1 &&
                      call.ranks() <= most_ranks &&
                      (call.operation() != Operation::alltoall || call.collective.equal_blocks);
  if (!serves) return all;
  for (const bool by_parts : {false, true}) {
    if (by_parts && (!is_combined_by_all(call) || call.ranks() < 3)) continue;
    Settings settings;
    settings.by_parts = by_parts;
    const std::size_t longest = longest_segment(board_plan(call, settings));
    if (longest < call.element_bytes()) continue;
    settings.pipelining.segment_bytes = whole_elements(call, longest);
    all.push_back(settings);
  }
  return all;
}

Pieces pieces_on_board(const Call& call, const Conditions& conditions, const Settings& settings) {
  if (settings.by_parts)
    return equal_pieces(conditions, static_cast<std::size_t>(call.ranks()), call.element_bytes());
  return Pieces(conditions);
}

}  // namespace

std::vector<Algorithm> shared_memory_algorithms() {
  return {
      {.name = "shared_memory",
       .summary = "through memory that the ranks of a node share: one writes, all read",
       .operations = {Operation::barrier, Operation::broadcast, Operation::reduce,
                      Operation::allreduce, Operation::allgather, Operation::reduce_scatter,
                      Operation::alltoall},
       .keeps_rank_order = true,
       .settings = settings_of_shared_memory,
       .build = [](const Call& call, const Conditions&, const Settings& settings)
           -> ForestOrRounds { return board_plan(call, settings); },
       .part = [](const Call& call, const Conditions&, const Settings& settings, int) -> RankPart {
         return board_plan(call, settings);
       },
       .pieces = pieces_on_board,
       .on_board = true},
  };
}

}  // namespace cuboid::detail
