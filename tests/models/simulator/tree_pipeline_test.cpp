#include "models/simulator/tree_pipeline.hpp"

#include "models/simulator/simulator.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

using Id = TransferGraph::Id;

constexpr LogGP bytes_only{.byte_gap = 1e-8};
constexpr LogGP busy{
    .latency = 50e-6, .send_overhead = 7e-6, .receive_overhead = 11e-6, .gap = 0, .byte_gap = 1e-8};

// Along the first axis from node 0, from there along the second, and so on.
PipelinedTree axis_by_axis(const Shape& shape, double bytes) {
  PipelinedTree tree{0, {}, bytes};
  std::vector<int> reached = {0};
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const std::vector<int> starts = reached;
    for (const int start : starts) {
      int node = start;
      for (int step = 1; step < shape.extent(axis); ++step) {
        const int next = static_cast<int>(shape.neighbour(node, axis, +1));
        tree.edges.push_back({node, next});
        reached.push_back(next);
        node = next;
      }
    }
  }
  return tree;
}

// The same as a graph, segment by segment.
TransferGraph transfers(const Shape& shape, const PipelinedTree& tree, TreeFlow flow,
                        const TreeSegments& segments) {
  TransferGraph graph(static_cast<int>(shape.nodes()));
  const auto nodes = static_cast<std::size_t>(shape.nodes());
  for (double left = tree.bytes; left > 0; left -= segments.bytes) {
    const double bytes = std::min(left, segments.bytes);
    std::vector<std::vector<Id>> had(nodes);
    if (flow != TreeFlow::outwards) {
      for (auto edge = tree.edges.rbegin(); edge != tree.edges.rend(); ++edge) {
        had[static_cast<std::size_t>(edge->parent)].push_back(
            graph.add({edge->child, edge->parent, bytes, segments.combine_seconds_per_byte * bytes},
                      had[static_cast<std::size_t>(edge->child)]));
      }
    }
    if (flow == TreeFlow::inwards) continue;
    for (const auto& [parent, child] : tree.edges)
      had[static_cast<std::size_t>(child)] = {
          graph.add({parent, child, bytes}, had[static_cast<std::size_t>(parent)])};
  }
  return graph;
}

TEST(TreePipeline, EqualsTheSimulatorWhereLinksAreAllThatCounts) {
  for (const Shape& shape : {Shape::torus(std::array{4, 3}), Shape::mesh(std::array{2, 3, 4}),
                             Shape::torus(std::array{7}), Shape::torus(std::array{1})}) {
    for (const double bytes : {1.0, 4096.0, 100000.0}) {
      for (const TreeFlow flow :
           {TreeFlow::outwards, TreeFlow::inwards, TreeFlow::inwards_then_outwards}) {
        const PipelinedTree tree = axis_by_axis(shape, bytes);
        const TreeSegments segments{.bytes = 4096, .link_seconds = 3e-6};
        LogGP network = bytes_only;
        network.latency = 50e-6;
        Platform platform = Platform::one_rank_per_node(Routes::dimension_ordered(shape), network);
        platform.segment_seconds = segments.link_seconds;
        EXPECT_NEAR(tree_pipeline_seconds(static_cast<int>(shape.nodes()), {&tree, 1}, flow,
                                          segments, network),
                    simulate(transfers(shape, tree, flow, segments), platform).seconds, 1e-12)
            << shape.to_string() << ", " << bytes << " bytes";
      }
    }
  }
}

TEST(TreePipeline, EqualsTheSimulatorForOneTreeWhereProcessorsCount) {
  const Shape shape = Shape::torus(std::array{3, 4, 2});
  const PipelinedTree tree = axis_by_axis(shape, 200000);
  for (const TreeFlow flow : {TreeFlow::outwards, TreeFlow::inwards}) {
    const TreeSegments segments{.bytes = 4096, .combine_seconds_per_byte = 1e-9};
    const Platform platform = Platform::one_rank_per_node(Routes::dimension_ordered(shape), busy);
    EXPECT_NEAR(tree_pipeline_seconds(24, {&tree, 1}, flow, segments, busy),
                simulate(transfers(shape, tree, flow, segments), platform).seconds, 1e-7);
  }
}

TEST(TreePipeline, IsTheClosedFormOfEdgeDisjointTrees) {
  // Two trees round a ring, one each way: (s + D − 1)·(α + β·m/(c·s)) (Solomonik et al. 2011, eq
  // 6).
  constexpr int nodes = 8;
  std::array<PipelinedTree, 2> trees;
  for (int step = 1; step < nodes; ++step) {
    trees[0].edges.push_back({step - 1, step});
    trees[1].edges.push_back({(nodes - step + 1) % nodes, nodes - step});
  }
  trees[0].bytes = trees[1].bytes = 40960;
  EXPECT_NEAR(tree_pipeline_seconds(nodes, trees, TreeFlow::outwards,
                                    {.bytes = 1024, .link_seconds = 1e-5}, bytes_only),
              (40 + nodes - 2) * (1e-5 + 1024e-8), 1e-12);
}

TEST(TreePipeline, NoNodeIsDoneBeforeItsProcessorIs) {
  // Ten trees over one edge each, all out of one node, whose processor is what counts.
  std::vector<PipelinedTree> trees;
  for (int child = 1; child <= 10; ++child) trees.push_back({0, {{0, child}}, 1});
  EXPECT_DOUBLE_EQ(tree_pipeline_seconds(11, trees, TreeFlow::outwards, {}, {.send_overhead = 2}),
                   20);
}

}  // namespace
}  // namespace cuboid::detail
