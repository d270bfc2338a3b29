#include "collectives/selection/line_seconds.hpp"

#include "collectives/selection/candidates.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/simulated_seconds.hpp"

#include <memory>

namespace cuboid::detail {

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
