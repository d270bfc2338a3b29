#include "collectives/selection/simulated_seconds.hpp"

#include "collectives/selection/candidates.hpp"
#include "collectives/selection/evaluator.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/schedule_sizes.hpp"

#include <memory>
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

namespace {

GroupCostModel of_line(const GroupCostModel& cost_model, const LineOfNodes& line) {
  GroupCostModel own = cost_model;
  own.tree_cache = std::make_shared<TreeCache>();
  own.nodes = GroupNodes::apart(static_cast<int>(line.nodes.size()));
  own.nodes.shape = line.box;
  own.nodes.network = Network::of_shape(line.box);
  own.nodes.link_bytes_per_second = cost_model.nodes.link_bytes_per_second;
  for (std::size_t place = 0; place < line.nodes.size(); ++place)
    own.nodes.ranks_of_node[static_cast<std::size_t>(line.nodes[place])] = {
        static_cast<int>(place)};
  return own;
}

}  // namespace

std::optional<double> line_seconds(Operation operation, std::size_t bytes,
                                   const Algorithm& algorithm, const GroupCostModel& cost_model,
                                   const LineOfNodes& line) {
  if (!algorithm.serves(operation)) return std::nullopt;
  const GroupCostModel own = of_line(cost_model, line);
  const Collective collective = call_of(operation, bytes, own.ranks());
  const Call call{collective, own};
  const Algorithm* only = &algorithm;
  const std::optional<Choice> choice = fastest(call, std::span(&only, 1));
  return choice ? simulated_seconds(call, algorithm, choice->settings) : std::nullopt;
}

}  // namespace cuboid::detail
