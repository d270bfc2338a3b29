#include <cuboid/discovery.hpp>
#include <cuboid/error.hpp>

#include "tools/bench/sub_box.hpp"
#include "tools/measurement/form.hpp"
#include "tools/measurement/overlap.hpp"
#include "tools/measurement/sizes.hpp"
#include "tools/point_to_point/heat_map.hpp"
#include "tools/point_to_point/links.hpp"
#include "tools/point_to_point/pair_run.hpp"

#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail::tools {
namespace bench_measurements_test {

TEST(MessageSize, OfOsuIsTheGreatest) {
  const SizeRange defaults{2, 16};
  EXPECT_EQ(parse_message_size("8", defaults), (std::vector<std::size_t>{2, 4, 8}));
  EXPECT_EQ(parse_message_size("4:8", defaults), (std::vector<std::size_t>{4, 8}));
  EXPECT_EQ(parse_message_size("8:", defaults), (std::vector<std::size_t>{8, 16}));
  for (const char* text : {"1", "x", "", "8:4", "32:"})
    EXPECT_THROW(parse_message_size(text, defaults), Error) << text;
}

TEST(SubBox, HoldsTheNodesThatItSays) {
  const Shape torus = parse_shape("torus:4x4").shape;
  const Cuboid box = parse_sub_box("2x2@3,1").in(torus);
  EXPECT_EQ(box.node_list(), (std::vector<NodeIndex>{13, 14, 1, 2}));
  EXPECT_EQ(parse_sub_box("2x1").in(torus).node_list(), (std::vector<NodeIndex>{0, 4}));
  EXPECT_THROW(parse_sub_box("2x2@3,3").in(parse_shape("mesh:4x4").shape), Error);
  EXPECT_THROW(parse_sub_box("2x2").in(parse_shape("torus:4").shape), Error);
  for (const char* text : {"", "2x", "2x2@", "2x2@1", "2x2@1,-1", "2x2@1,1,1", "2x2@1,1x"})
    EXPECT_THROW(parse_sub_box(text), Error) << text;
}

TEST(Csv, QuotesWhatItMust) {
  const auto rows = nlohmann::ordered_json::parse(
      R"([{"a": 1, "b": "x,y", "c": null}, {"a": 2.5, "b": "say \"no\"", "c": true}])");
  EXPECT_EQ(to_csv(rows), "a,b,c\n1,\"x,y\",\n2.5,\"say \"\"no\"\"\",true\n");
  EXPECT_EQ(to_csv(nlohmann::ordered_json::array()), "");
}

TEST(OverlapPercent, IsTheShareThatTookNoTimeOfItsOwn) {
  EXPECT_DOUBLE_EQ((Overlap{.overall = 10, .compute = 10, .pure = 10}).percent(), 100);
  EXPECT_DOUBLE_EQ((Overlap{.overall = 15, .compute = 10, .pure = 10}).percent(), 50);
  EXPECT_DOUBLE_EQ((Overlap{.overall = 40, .compute = 10, .pure = 10}).percent(), 0);
  EXPECT_DOUBLE_EQ((Overlap{.overall = 9, .compute = 10, .pure = 10}).percent(), 100);
  EXPECT_DOUBLE_EQ(Overlap{}.percent(), 0);
}

TEST(PairTests, AreATableOfDifferentNames) {
  std::set<std::string> names;
  for (const PairMeasurement& test : pair_measurements()) {
    EXPECT_TRUE(names.insert(test.name).second) << test.name;
    EXPECT_NE(test.loop == nullptr, test.overlapped == nullptr) << test.name;
    EXPECT_EQ(test.overlapped != nullptr, test.quantity == Quantity::overlap) << test.name;
    EXPECT_EQ(&pair_measurement(test.name), &test);
  }
}

TEST(PairTests, TakeHalfTheRanksAtMost) {
  PairOptions options{.test = &pair_measurement("mbw_mr"), .run = {}, .window = 64, .pairs = {}};
  EXPECT_EQ(pairs_of(options, 5), 2);
  options.pairs = 3;
  EXPECT_EQ(pairs_of(options, 6), 3);
  EXPECT_THROW(pairs_of(options, 5), Error);
  EXPECT_THROW(pairs_of(options, 1), Error);
  options.test = &pair_measurement("latency");
  EXPECT_EQ(pairs_of(options, 16), 1);
}

/// Eight ranks; those beyond a slow cable are reached slowly.
AllPairsResult with_a_slow_cable() {
  AllPairsResult result;
  result.ranks = 8;
  result.options.run.bytes = {1024};
  result.hosts.assign(8, "node");
  result.cuboid.latency.assign(64, 1e-6);
  result.cuboid.bandwidth.assign(64, 100e6);
  result.cuboid.bandwidth[result.at(2, 3)] = 20e6;
  result.cuboid.bandwidth[result.at(3, 2)] = 30e6;
  for (int rank = 0; rank < 8; ++rank) result.cuboid.bandwidth[result.at(rank, rank)] = 0;
  return result;
}

TEST(AllPairs, NameTheSlowestFirst) {
  const AllPairsResult result = with_a_slow_cable();
  EXPECT_EQ(median_of_pairs(result.cuboid.bandwidth, 8), 100e6);
  const auto slow = slow_pairs(result);
  ASSERT_EQ(slow.size(), 2u);
  EXPECT_EQ((std::vector{slow[0].from, slow[0].to, slow[1].from, slow[1].to}),
            (std::vector{2, 3, 3, 2}));
  EXPECT_NE(to_text(result).find("2 to 3: 20.00 MB/s"), std::string::npos);
  EXPECT_EQ(to_json(result)["results"].size(), 56u);
}

TEST(AllPairs, AreDrawnRowByRow) {
  const HeatMap map = heat_map(with_a_slow_cable());
  EXPECT_NE(map.data.find("100 100 NaN 20 100 100 100 100"), std::string::npos);
  EXPECT_EQ(map.commands.find("index 2"), std::string::npos);
  EXPECT_NE(map.commands.find("bandwidth of 1024 bytes, MB/s"), std::string::npos);
  AllPairsResult both = with_a_slow_cable();
  both.mpi = both.cuboid;
  EXPECT_NE(heat_map(both).commands.find("index 3"), std::string::npos);
}

Discovery imitated(const char* spec, int ranks_per_node) {
  Discovery discovery;
  const Shape shape = parse_shape(spec).shape;
  const std::vector<double> rates(static_cast<std::size_t>(shape.dimensions()), 100.0);
  discovery.network = Network::of_shape(shape, rates);
  for (int node = 0; node < discovery.network.nodes(); ++node)
    for (int i = 0; i < ranks_per_node; ++i) discovery.node_of_rank.push_back(node);
  return discovery;
}

TEST(Links, AreAllDirectionsOnce) {
  for (const auto& [spec, links, cables] : {std::tuple{"torus:4x4", 64, 64},
                                            {"mesh:3", 4, 4},
                                            {"torus:2x3", 18, 24},
                                            {"torus:1", 0, 0}}) {
    const auto all = links_of(imitated(spec, 2));
    EXPECT_EQ(static_cast<int>(all.size()), links) << spec;
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0,
                              [](int sum, const MeasuredLink& link) { return sum + link.cables; }),
              cables)
        << spec;
    for (const MeasuredLink& link : all) {
      EXPECT_EQ(link.from % 2, 0);  // the lowest rank of its node
      EXPECT_EQ(link.nominal, 100.0 * link.cables);
    }
  }
}

TEST(Links, AreSlowFarBelowTheMedian) {
  LinksResult result;
  for (const double rate : {100.0, 101.0, 99.0, 74.0, 76.0}) {
    result.links.push_back({.from = 0, .to = 1, .from_node = "a", .to_node = "b"});
    result.links.back().cuboid = {rate, rate};
  }
  EXPECT_TRUE(result.slow(result.links[3]));
  EXPECT_FALSE(result.slow(result.links[4]));
}

}  // namespace bench_measurements_test
}  // namespace cuboid::detail::tools
