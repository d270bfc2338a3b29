#include "collectives/selection/pipeline_recurrence.hpp"

#include "collectives/selection/forest_segments.hpp"
#include "collectives/selection/simulated_platform.hpp"
#include "models/simulator/tree_pipeline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace cuboid::detail {

bool have_cables_of_their_own(const Forest& forest, const Shape& shape) {
  std::unordered_set<std::int64_t> used;
  for (const Tree& tree : forest.trees) {
    for (const auto& [parent, child] : tree.edges) {
      if (shape.distance(parent, child) != 1) return false;
      if (!used.insert(static_cast<std::int64_t>(parent) * shape.nodes() + child).second)
        return false;
    }
  }
  return true;
}

namespace {

// The seconds of the first `first` segments.
double pipeline_seconds(const Forest& forest, const Pipelining& pipelining,
                        const GroupCostModel& cost_model, std::size_t first) {
  std::vector<PipelinedTree> trees;
  for (const Tree& tree : cut_off(forest, first, segments_of(forest, pipelining)).trees) {
    if (tree.slice.bytes == 0) continue;
    PipelinedTree& pipelined =
        trees.emplace_back(PipelinedTree{tree.root, {}, static_cast<double>(tree.slice.bytes)});
    pipelined.edges.reserve(tree.edges.size());
    for (const auto& [parent, child] : tree.edges) pipelined.edges.push_back({parent, child});
  }
  const TreeFlow flow = forest.flow == Flow::multicast ? TreeFlow::outwards
                        : forest.flow == Flow::combine ? TreeFlow::inwards
                                                       : TreeFlow::inwards_then_outwards;
  const double combine = forest.flow == Flow::multicast ? 0 : cost_model.node.beta;
  return tree_pipeline_seconds(forest.ranks, trees, flow,
                               {.bytes = static_cast<double>(pipelining.segment_bytes),
                                .combine_seconds_per_byte = combine,
                                .in_flight = pipelining.segments_in_flight},
                               cost_model.between_nodes());
}

}  // namespace

double recurrence_seconds(const Forest& forest, const Pipelining& pipelining,
                          const GroupCostModel& cost_model) {
  constexpr double most_steps = 1e8;
  const std::size_t segments = segments_of(forest, pipelining);
  const std::size_t most =
      std::max<std::size_t>(static_cast<std::size_t>(most_steps / (edges_of(forest) + 1)), 8);
  const auto seconds_of_first = [&](std::size_t count) {
    return pipeline_seconds(forest, pipelining, cost_model, count);
  };
  if (segments <= most) return seconds_of_first(segments);
  const std::size_t half = most / 2;
  return PipelineStart{half, seconds_of_first(half), most, seconds_of_first(most)}.after(segments);
}

}  // namespace cuboid::detail
