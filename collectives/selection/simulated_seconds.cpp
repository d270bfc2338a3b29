#include "collectives/selection/simulated_seconds.hpp"

#include "collectives/selection/conditions_of.hpp"
#include "collectives/selection/evaluator.hpp"
#include "collectives/selection/schedule_sizes.hpp"

#include <utility>
#include <variant>

namespace cuboid::detail {

std::optional<double> simulated_seconds(const Call& call, const Algorithm& algorithm,
                                        const Settings& settings) {
  constexpr double most_transfers = 2e5;
  constexpr double most_edges = 3e5;
  // Every block has a tree, or messages of every rank, so the number of messages grows with the
  // square of the number of ranks.
  constexpr int most_ranks_with_blocks = 256;
  const bool rooted = call.operation() == Operation::broadcast ||
                      call.operation() == Operation::reduce ||
                      call.operation() == Operation::allreduce;
  if (call.ranks() < 2 || call.bytes() == 0) return std::nullopt;
  if (!rooted && call.ranks() > most_ranks_with_blocks) return std::nullopt;
  if (algorithm.pieces != nullptr && call.ranks() > most_ranks_with_blocks) return std::nullopt;
  const Conditions whole = conditions_of(call, algorithm);
  const Conditions conditions = in_pieces_of(algorithm, call, whole, settings);
  const ForestOrRounds how = algorithm.build(call, whole, settings);
  if (const auto* rounds = std::get_if<Rounds>(&how))
    return Evaluator(call, most_transfers).seconds(*rounds, conditions, settings.pipelining);
  const Forest& forest = std::get<Forest>(how);
  if (edges_of(forest) > most_edges) return std::nullopt;
  return Evaluator(call, most_transfers).seconds(forest, settings.pipelining);
}

}  // namespace cuboid::detail
