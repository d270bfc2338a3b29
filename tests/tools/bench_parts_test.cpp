#include <cuboid/error.hpp>
#include <cuboid/shape.hpp>

#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/selection.hpp"
#include "tools/bench/bench_network.hpp"
#include "tools/bench/bench_options.hpp"
#include "tools/bench/bench_result.hpp"
#include "tools/bench/core_limit.hpp"
#include "tools/machine/modelled_group.hpp"
#include "topology/network/cut_bound.hpp"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail::tools {
namespace bench_parts_test {

using Sizes = std::vector<std::size_t>;

TEST(BenchSizes, AreOneOrDoublings) {
  EXPECT_EQ(parse_sizes("17"), Sizes{17});
  EXPECT_EQ(parse_sizes("16M"), Sizes{16 << 20});
  EXPECT_EQ(parse_sizes("1.5M"), Sizes{3 << 19});
  EXPECT_EQ(parse_sizes("8:64"), (Sizes{8, 16, 32, 64}));
  EXPECT_EQ(parse_sizes("1K:5000"), (Sizes{1024, 2048, 4096}));
  EXPECT_EQ(parse_sizes(":16"), (Sizes{8, 16}));
  EXPECT_EQ(parse_sizes("2M:"), (Sizes{2 << 20, 4 << 20}));
  const SizeRange with_empty{.first = 1, .last = 4, .empty_too = true};
  EXPECT_EQ(parse_sizes("0", with_empty), Sizes{0});
  EXPECT_EQ(parse_message_size("0:4", with_empty), (Sizes{0, 1, 2, 4}));
  EXPECT_EQ(parse_message_size("4", with_empty), (Sizes{1, 2, 4}));
}

TEST(BenchSizes, RefuseAnythingElse) {
  for (const char* text : {"", "x", "-1", "0", "1.5", "8:4", "8:9:10", "8 :9", "2T", "1KB", "K",
                           "99999999999999999999", "20000000G"}) {
    EXPECT_THROW(parse_sizes(text), Error) << text;
  }
}

TEST(BenchSeconds, AreOrderStatistics) {
  std::vector<double> repetitions(200);
  std::iota(repetitions.rbegin(), repetitions.rend(), 1.0);
  const Seconds seconds = Seconds::of(repetitions);
  EXPECT_EQ(seconds.min, 1);
  EXPECT_EQ(seconds.median, 100.5);
  EXPECT_EQ(seconds.p99, 198);
  EXPECT_EQ(seconds.median_low, 86);  // floor((200 - 1.96 sqrt(200)) / 2), and from the other end
  EXPECT_EQ(seconds.median_high, 115);
  const Seconds single = Seconds::of({3.0});
  EXPECT_EQ(single.min, 3);
  EXPECT_EQ(single.median, 3);
  EXPECT_EQ(single.p99, 3);
  EXPECT_EQ(single.median_low, 3);
  EXPECT_EQ(single.median_high, 3);
}

/// A network of this shape with cables of 100 (of whatever) each way, and ranks on all its nodes.
class Bounds : public testing::Test {
 protected:
  static double of(const char* spec, Operation operation, int root = 0, int ranks_per_node = 1) {
    const Shape shape = parse_shape(spec).shape;
    const std::vector<double> rates(static_cast<std::size_t>(shape.dimensions()), 100.0);
    const Network network = Network::of_shape(shape, rates);
    std::vector<int> node_of_rank;
    for (int node = 0; node < network.nodes(); ++node) {
      node_of_rank.insert(node_of_rank.end(), static_cast<std::size_t>(ranks_per_node), node);
    }
    return bound_of(operation, root, {network, node_of_rank}).value_or(0);
  }
};

TEST_F(Bounds, OfATorus) {
  EXPECT_NEAR(of("torus:4x4", Operation::broadcast), 400, 1e-9);
  EXPECT_NEAR(of("torus:4x4", Operation::reduce, 5), 400, 1e-9);
  EXPECT_NEAR(of("torus:4x4", Operation::allgather), 426.67, 0.01);
  EXPECT_NEAR(of("torus:4x4", Operation::reduce_scatter), 426.67, 0.01);
  EXPECT_NEAR(of("torus:4x4", Operation::allreduce), 213.33, 0.01);
  EXPECT_NEAR(of("torus:4x4", Operation::broadcast, 0, 4), 400, 1e-9);
  EXPECT_NEAR(of("torus:4x4", Operation::allgather, 0, 4), 426.67, 0.01);
  EXPECT_NEAR(of("torus:3x3x3", Operation::broadcast), 600, 1e-9);
}

TEST_F(Bounds, OfAMeshAreThoseOfItsCorners) {
  EXPECT_NEAR(of("mesh:4x4", Operation::broadcast, 5), 200, 1e-9);
  EXPECT_NEAR(of("mesh:4", Operation::broadcast, 1), 100, 1e-9);
}

TEST_F(Bounds, OfARootAreItsLinks) {
  EXPECT_NEAR(of("torus:4x4", Operation::scatter, 3), 426.67, 0.01);
  EXPECT_NEAR(of("mesh:3", Operation::gather, 0), 150, 1e-9);
  EXPECT_NEAR(of("mesh:3", Operation::gather, 1), 300, 1e-9);
}

TEST_F(Bounds, AreNotThereWithoutNetworkOrRates) {
  const Network network = Network::of_shape(parse_shape("torus:4").shape);
  EXPECT_FALSE(bound_of(Operation::broadcast, 0, {network, {0, 1, 2, 3}}));
  EXPECT_EQ(of("torus:4", Operation::barrier), 0);
  const std::vector<double> rates = {100.0};
  const Network known = Network::of_shape(parse_shape("torus:4").shape, rates);
  EXPECT_FALSE(bound_of(Operation::broadcast, 0, {known, {2, 2, 2}}));
}

TEST_F(Bounds, OfALineAreItsOwnCables) {
  const std::vector<double> rates = {100.0, 100.0};
  const Network network = Network::of_shape(parse_shape("torus:4x4").shape, rates);
  const BenchGroup row{network, {4, 5, 6, 7}, true};
  EXPECT_NEAR(bound_of(Operation::broadcast, 0, row).value(), 200, 1e-9);
}

TEST_F(Bounds, OfIdleLinksLetBurstsThrough) {
  // 4 links of 100 carry 400 in a second, and 4 bursts of 50 before.
  const double head_start = 50.0 / 100;
  EXPECT_NEAR(bound_with_bursts(400, 1000, head_start).value(), 1000.0 / 2, 1e-9);
  EXPECT_NEAR(bound_with_bursts(400, 1e9, head_start).value(), 400, 1e-3);
  EXPECT_EQ(bound_with_bursts(400, 1000, 0).value(), 400);
  EXPECT_TRUE(bound_with_bursts(400, 401, head_start));
  EXPECT_FALSE(bound_with_bursts(400, 400, head_start));  // half of it passes at once
}

TEST_F(Bounds, HeadStartsAreThoseOfTheSlowestLinks) {
  const std::vector<double> rates = {100.0, 25.0};
  Discovery discovery;
  discovery.network = Network::of_shape(parse_shape("torus:4x4").shape, rates);
  EXPECT_EQ(head_start_of(discovery), 0);
  discovery.burst_bytes = 50;
  EXPECT_EQ(head_start_of(discovery), 2);
}

/// What a simulated network does is no faster than its bound, at whatever length.
TEST_F(Bounds, AreNotExceededByWhatIsSimulated) {
  const ShapeSpec spec = parse_shape("torus:3x5@100mbit");
  Machine machine;
  machine.burst_bytes = 128 << 10;
  set_rate(machine, spec);
  const GroupCostModel cost_model = one_rank_per_node(machine, spec);
  for (const Operation operation :
       {Operation::broadcast, Operation::allgather, Operation::allreduce, Operation::alltoall}) {
    bool bounded = false;
    bool would_exceed = false;
    for (std::size_t size = 64 << 10; size <= std::size_t{4} << 20; size *= 2) {
      const Collective call = call_of(operation, size, cost_model.ranks());
      const auto bytes = message_bytes(call, cost_model.ranks());
      const double rate = static_cast<double>(bytes) / select(call, cost_model).seconds;
      const auto bound = bound_of_shape(operation, bytes, spec, machine);
      EXPECT_LE(rate, bound.value_or(rate)) << to_string(operation) << " " << bytes;
      bounded = bounded || bound;
      Machine without_bursts = machine;
      without_bursts.burst_bytes = 0;
      would_exceed =
          would_exceed || rate > bound_of_shape(operation, bytes, spec, without_bursts).value();
    }
    EXPECT_TRUE(bounded) << to_string(operation);
    EXPECT_TRUE(would_exceed || operation != Operation::broadcast);
  }
}

// 162 links of 6.25 MB/s; a message of 64 KiB takes 23 us of a core that all 27 ranks share with
// one other.
TEST(CoreLimit, IsTheCoresTimeThatAllLinksTogetherTake) {
  const Shape shape = parse_shape("torus:3x3x3").shape;
  GroupNodes nodes = GroupNodes::apart(27);
  EXPECT_EQ(core_share_of_network(group_cost_model_of(nodes, 13.5, nullptr)), 0);
  nodes.network = Network::of_shape(shape, std::vector(3, 6.25e6));
  EXPECT_NEAR(core_share_of_network(group_cost_model_of(nodes, 13.5, nullptr)),
              162 * 6.25e6 * 25e-6 / 65536 / 2, 1e-9);
  EXPECT_EQ(core_share_of_network(group_cost_model_of(nodes, 1, nullptr)), 0);
  nodes.network = Network::of_shape(shape);
  EXPECT_EQ(core_share_of_network(group_cost_model_of(nodes, 13.5, nullptr)), 0);
}

}  // namespace bench_parts_test
}  // namespace cuboid::detail::tools
