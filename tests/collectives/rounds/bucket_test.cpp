#include "collectives/rounds/bucket.hpp"

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/schedules/checker.hpp"
#include "collectives/selection/selection.hpp"
#include "collectives/selection/simulated_seconds.hpp"
#include "tests/collectives/blue_gene.hpp"
#include "tests/collectives/by_asking.hpp"
#include "topology/network/shape_bounds.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace bucket_test {

Collective blocks_of_all(Operation operation, int ranks, std::size_t bytes) {
  Collective call{.operation = operation,
                  .type = Datatype::Kind::byte,
                  .count = bytes / static_cast<std::size_t>(ranks)};
  const BlockList blocks = BlockList::equal(ranks, call.count);
  (operation == Operation::allgather ? call.output_blocks : call.input_blocks) = blocks;
  return call;
}

const std::vector<Shape>& small_shapes() {
  static const std::vector<Shape> shapes = {
      Shape::torus(std::vector{4, 4}),    Shape::torus(std::vector{3, 5}),
      Shape::mesh(std::vector{3, 4}),     Shape::torus(std::vector{2, 3, 4}),
      Shape::mesh(std::vector{7}),        Shape({{3, true}, {1, true}, {4, false}}),
      Shape::torus(std::vector{3, 3, 3}), Shape({{2, true}, {2, false}, {2, true}})};
  return shapes;
}

// Ranks in any order on the nodes, blocks of any length, some of them shorter than the colours are
// many.
TEST(Bucket, MovesEveryBlockToEveryRankAndBack) {
  for (const Shape& shape : small_shapes()) {
    const auto nodes = static_cast<int>(shape.nodes());
    std::vector<int> rank_at(static_cast<std::size_t>(nodes));
    std::iota(rank_at.begin(), rank_at.end(), 0);
    std::ranges::rotate(rank_at, rank_at.begin() + 1);
    std::vector<std::size_t> bytes;
    for (int rank = 0; rank < nodes; ++rank) bytes.push_back(static_cast<std::size_t>(rank * 8));
    const auto colours = bucket_colours(shape);
    const auto prove = [&](const Rounds& rounds, const Conditions& whole) {
      const auto pieces = bucket_pieces(shape, colours, rank_at, whole, 8);
      EXPECT_NO_THROW(check(rounds, in_pieces(whole, pieces))) << shape.to_string();
      std::size_t of_last = 0;
      for (std::size_t number = 0; number < pieces.size(); ++number) {
        const Piece piece = pieces[number];
        of_last += piece.block + 1 == bytes.size() ? piece.slice.bytes : 0;
      }
      EXPECT_EQ(of_last, bytes.back());
    };
    prove(bucket_allgather(shape, colours, rank_at), Conditions::allgather(bytes));
    prove(bucket_reduce_scatter(shape, colours, rank_at), Conditions::reduce_scatter(bytes));
    const Conditions whole = Conditions::allreduce(nodes, 8 * 1001);
    EXPECT_NO_THROW(check(bucket_allreduce(shape, colours, rank_at),
                          in_pieces(whole, bucket_pieces(shape, colours, whole, 8))))
        << shape.to_string();
  }
}

TEST(Bucket, SendsNothingTwiceAndEveryMessageInOneRun) {
  const Shape shape = Shape::torus(std::vector{4, 3, 5});
  std::vector<int> rank_at(60);
  std::iota(rank_at.begin(), rank_at.end(), 0);
  const auto colours = bucket_colours(shape);
  const Rounds rounds = bucket_allgather(shape, colours, rank_at);
  EXPECT_EQ(rounds.rounds.size(), 2U + 1U + 2U);
  std::size_t moved = 0;
  for (const auto& round : rounds.rounds) {
    for (const Exchange& exchange : round) {
      moved += exchange.blocks.size();
      EXPECT_EQ(exchange.blocks.back() - exchange.blocks.front() + 1,
                static_cast<int>(exchange.blocks.size()));
      EXPECT_EQ(shape.distance(exchange.sender, exchange.receiver), 1);
    }
  }
  EXPECT_EQ(moved, 60 * 59 * colours.size() * static_cast<std::size_t>(bucket_parts(shape)));
}

// Shares make up for axes of different lengths; on meshes the corners bound.
TEST(Bucket, KeepsAllLinksEquallyBusy) {
  for (const auto& [shape, links] : {std::pair(Shape::torus(std::vector{4, 64}), 4.0),
                                     std::pair(Shape::torus(std::vector{16, 32, 32}), 6.0),
                                     std::pair(Shape::torus(std::vector{3, 5, 7, 9}), 8.0),
                                     std::pair(Shape::mesh(std::vector{4, 16}), 2.0),
                                     std::pair(Shape({{8, true}, {8, false}}), 3.0)}) {
    const auto nodes = static_cast<double>(shape.nodes());
    EXPECT_NEAR(busiest_bucket_link(shape, bucket_colours(shape)), (nodes - 1) / nodes / links,
                0.01 / links)
        << shape.to_string();
  }
}

// Where the last axis of an order is the faster by as much as it carries more, that order is all.
TEST(Bucket, SharesMakeUpForAxesOfDifferentRates) {
  const Shape square = Shape::torus(std::vector{4, 4});
  const std::vector rates = {4.0, 1.0};
  const auto colours = bucket_colours(square, {}, 1, rates);
  for (const BucketColour& colour : colours) EXPECT_EQ(colour.axes.back(), 0);
  // Ten links of the slowest axis would carry as much.
  EXPECT_NEAR(busiest_bucket_link(square, colours, {}, rates), 15.0 / 16 / 10, 1e-9);
  std::vector<int> rank_at(16);
  std::iota(rank_at.begin(), rank_at.end(), 0);
  const Conditions whole = Conditions::allgather(std::vector<std::size_t>(16, 40));
  EXPECT_NO_THROW(check(bucket_allgather(square, colours, rank_at),
                        in_pieces(whole, bucket_pieces(square, colours, rank_at, whole, 8))));
  const Shape large = Shape::torus(std::vector{8, 8});
  const std::vector double_rates = {2.0, 1.0};
  EXPECT_NEAR(
      busiest_bucket_link(large, bucket_colours(large, {}, 1, double_rates), {}, double_rates),
      63.0 / 64 / 6, 0.001);
}

// From sixteen nodes to a quarter of a million, by the cost alone.
TEST(Bucket, OfLongMessagesReachesTheBoundOnEveryTorus) {
  for (const Shape& shape :
       {Shape::torus(std::vector{4, 4}), Shape::torus(std::vector{5, 7}),
        Shape::torus(std::vector{8, 8}), Shape::torus(std::vector{4, 4, 4}),
        Shape::torus(std::vector{32, 32}), Shape::torus(std::vector{16, 16, 16}),
        Shape::torus(std::vector{16, 32, 32}), Shape::torus(std::vector{64, 64, 64}),
        Shape::torus(std::vector{8, 8, 8, 8, 8, 8})}) {
    const GroupCostModel cost_model = blue_gene(shape);
    const double bound =
        allgather_bound(shape, std::vector<double>(shape.axes().size(), blue_gene_rate));
    for (const Operation operation : {Operation::allgather, Operation::reduce_scatter}) {
      for (const std::size_t bytes : {std::size_t{64} << 20, std::size_t{1} << 30}) {
        const Collective call = blocks_of_all(operation, cost_model.ranks(), bytes);
        const double seconds = select(call, cost_model).seconds;
        const double fraction = static_cast<double>(bytes) / seconds / bound;
        EXPECT_GT(fraction, 0.85) << to_string(operation) << " on " << shape.to_string();
        EXPECT_LT(fraction, 1.01) << to_string(operation) << " on " << shape.to_string();
      }
    }
  }
}

TEST(Bucket, CostsWhatTheSimulatorSays) {
  const Algorithm& bucket = *find_algorithm("bucket");
  for (const Shape& shape :
       {Shape::torus(std::vector{4, 4}), Shape::torus(std::vector{3, 5}),
        Shape::mesh(std::vector{4, 4}), Shape::torus(std::vector{4, 8}),
        Shape::torus(std::vector{4, 4, 4}), Shape::torus(std::vector{4, 6, 8})}) {
    const GroupCostModel cost_model = blue_gene(shape);
    for (const Operation operation : {Operation::allgather, Operation::reduce_scatter}) {
      for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{16} << 20}) {
        const Collective collective = blocks_of_all(operation, cost_model.ranks(), bytes);
        const Call call{collective, cost_model};
        const Choice estimate = by_asking(call, bucket).value();
        const double simulated = simulated_seconds(call, bucket, estimate.settings).value();
        EXPECT_NEAR(estimate.seconds / simulated, 1, 0.1)
            << to_string(operation) << " of " << bytes << " on " << shape.to_string();
      }
    }
  }
}

// Passes go along the fast axis one after the other, so that the slow one is soon busy and remains
// so.
TEST(Bucket, OnAxesOfDifferentRatesReachesTheBound) {
  const Shape shape = Shape::torus(std::vector{8, 8});
  const std::vector rates = {125e6, 12.5e6};
  GroupCostModel cost_model = blue_gene(shape);
  cost_model.network = {.alpha = 30e-6, .beta = 1 / rates.back()};
  cost_model.nodes.axis_bytes_per_second = rates;
  constexpr std::size_t bytes = 16 << 20;
  const double bound = static_cast<double>(bytes) / allgather_bound(shape, rates);
  const Algorithm& bucket = *find_algorithm("bucket");
  for (const Operation operation : {Operation::allgather, Operation::reduce_scatter}) {
    const Collective collective = blocks_of_all(operation, cost_model.ranks(), bytes);
    const Call call{collective, cost_model};
    const Choice estimate = by_asking(call, bucket).value();
    const double simulated = simulated_seconds(call, bucket, estimate.settings).value();
    EXPECT_GT(bound / simulated, 0.9) << to_string(operation);
    EXPECT_NEAR(estimate.seconds / simulated, 1, 0.1) << to_string(operation);
  }
}

// Several ranks on each node share its links.
TEST(Bucket, ServesNodesOfSeveralRanks) {
  GroupCostModel cost_model = blue_gene(Shape::torus(std::vector{4, 4}));
  const Collective one = blocks_of_all(Operation::allgather, 16, 16 << 20);
  const double of_nodes = by_asking({one, cost_model}, *find_algorithm("bucket"))->seconds;
  cost_model.nodes.ranks_of_node.clear();
  for (int node = 0; node < 16; ++node) cost_model.nodes.ranks_of_node.push_back({node, node + 16});
  const Collective two = blocks_of_all(Operation::allgather, 32, 16 << 20);
  const double of_ranks = by_asking({two, cost_model}, *find_algorithm("bucket"))->seconds;
  EXPECT_NEAR(of_ranks / of_nodes, 1, 0.1);
  cost_model.nodes.ranks_of_node.front().push_back(32);
  const Collective uneven = blocks_of_all(Operation::allgather, 33, 16 << 20);
  EXPECT_FALSE(by_asking({uneven, cost_model}, *find_algorithm("bucket")));
}

}  // namespace bucket_test
}  // namespace cuboid::detail
