#include "collectives/selection/line_seconds.hpp"

#include "collectives/selection/simulated_seconds.hpp"

#include <utility>
#include <variant>

namespace cuboid::detail {

namespace {

GroupCostModel of_line(const GroupCostModel& cost_model, const LineOfNodes& line) {
  GroupCostModel own = cost_model;
  own.kept_trees = std::make_shared<KeptTrees>();
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

std::optional<double> line_broadcast_seconds(const Algorithm& algorithm,
                                             const GroupCostModel& cost_model,
                                             const LineOfNodes& line, std::size_t bytes) {
  constexpr double most_transfers = 2e4;
  const GroupCostModel own = of_line(cost_model, line);
  const int ranks = own.ranks();
  Forest all{.ranks = ranks, .flow = Flow::multicast};
  std::optional<CostEstimate> estimate;
  for (int root = 0; root < ranks; ++root) {
    const Collective collective{.operation = Operation::broadcast,
                                .type = Datatype::Kind::byte,
                                .count = bytes,
                                .root = root};
    const Call call{collective, own};
    estimate = algorithm.price(call);
    if (!estimate) return std::nullopt;
    ForestOrRounds how =
        algorithm.build(call, Conditions::broadcast(ranks, bytes, root), estimate->settings);
    auto* const forest = std::get_if<Forest>(&how);
    if (forest == nullptr) return std::nullopt;
    for (Tree& tree : forest->trees) all.trees.push_back(std::move(tree));
  }
  return simulated_seconds(all, estimate->settings.pipelining, own, most_transfers);
}

}  // namespace cuboid::detail
