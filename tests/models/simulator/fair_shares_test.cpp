#include "models/simulator/fair_shares.hpp"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace fair_shares_test {

TEST(FairShares, ShareALinkEquallyAndTakeWhatOthersLeave) {
  // Flow 0 crosses both links, flow 1 the first, flows 2 and 3 the second.
  const std::vector<std::vector<int>> routes = {{0, 1}, {0}, {1}, {1}};
  FairShares shares({9, 6});
  std::map<std::size_t, double> rates;
  const auto update = [&] { shares.update([&](std::size_t f, double rate) { rates[f] = rate; }); };
  for (std::size_t flow = 0; flow < routes.size(); ++flow) shares.begin(flow, routes[flow]);
  update();
  EXPECT_DOUBLE_EQ(rates[0], 2);
  EXPECT_DOUBLE_EQ(rates[1], 7);
  EXPECT_DOUBLE_EQ(rates[2], 2);
  shares.end(2);
  update();
  EXPECT_DOUBLE_EQ(rates[0], 3);
  EXPECT_DOUBLE_EQ(rates[1], 6);
  EXPECT_DOUBLE_EQ(rates[3], 3);
}

// Link 0 is entered by flows of its own node, and by those that come over links 1 and 2.
TEST(FairShares, LinksThatAreEnteredFromSeveralSidesLoseAPart) {
  const std::vector<std::vector<int>> routes = {{0}, {0}, {1, 0}, {1, 0}, {2, 0}, {2, 0}};
  FairShares shares({8, 100, 100}, 0.2);
  std::map<std::size_t, double> rates;
  const auto update = [&] { shares.update([&](std::size_t f, double rate) { rates[f] = rate; }); };
  for (std::size_t flow = 0; flow < 2; ++flow) shares.begin(flow, routes[flow]);
  update();
  EXPECT_DOUBLE_EQ(rates[0], 4);  // of one side, nothing is lost
  for (std::size_t flow = 2; flow < 4; ++flow) shares.begin(flow, routes[flow]);
  update();
  EXPECT_DOUBLE_EQ(rates[3], 8 * 0.9 / 4);
  EXPECT_DOUBLE_EQ(shares.load(0), 8);  // what is lost is nobody's
  for (const std::size_t flow : {0U, 1U}) shares.end(flow);
  update();
  EXPECT_DOUBLE_EQ(rates[3], 4);
  shares.begin(4, routes[4], 0);
  shares.begin(5, routes[5], 1);  // crowds link 2 only
  update();
  EXPECT_DOUBLE_EQ(rates[5], 2);
}

TEST(FairShares, ReportOnlyWhatChanges) {
  const std::vector<std::vector<int>> routes = {{0}, {1}};
  FairShares shares({1, 1});
  shares.begin(0, routes[0]);
  shares.update([](std::size_t, double) {});
  shares.begin(1, routes[1]);
  shares.update([](std::size_t flow, double) { EXPECT_EQ(flow, 1U); });
}

// Max-min fairness: no link over its rate, and every flow has a full link on which none is faster.
TEST(FairShares, EveryFlowHasABottleneckAsFlowsComeAndGo) {
  std::mt19937 random(1);
  constexpr int links = 12;
  constexpr std::size_t flows = 20;
  std::vector<double> capacity;
  for (int link = 0; link < links; ++link)
    capacity.push_back(1 + static_cast<double>(random() % 9));
  FairShares shares(capacity);
  std::vector<std::vector<int>> routes(flows);
  std::vector<bool> active(flows, false);
  std::vector<double> rates(flows, 0);
  for (int step = 0; step < 500; ++step) {
    const std::size_t flow = random() % flows;
    if (active[flow]) {
      shares.end(flow);
    } else {
      routes[flow].clear();
      for (int link = 0; link < links; ++link) {
        if (random() % 5 == 0) routes[flow].push_back(link);
      }
      if (routes[flow].empty()) routes[flow].push_back(0);
      shares.begin(flow, routes[flow]);
    }
    active[flow] = !active[flow];
    if (step % 3 == 0) continue;  // several changes at once
    shares.update([&](std::size_t changed, double rate) { rates[changed] = rate; });
    for (int link = 0; link < links; ++link)
      EXPECT_LE(shares.load(link), capacity[static_cast<std::size_t>(link)] * (1 + 1e-9));
    for (std::size_t one = 0; one < flows; ++one) {
      if (!active[one]) continue;
      const bool has_bottleneck = std::ranges::any_of(routes[one], [&](int link) {
        bool slower = true;
        for (std::size_t other = 0; other < flows; ++other) {
          const bool meets = active[other] && std::ranges::count(routes[other], link) > 0;
          if (meets && rates[other] > rates[one] * (1 + 1e-9)) slower = false;
        }
        return slower && shares.load(link) > capacity[static_cast<std::size_t>(link)] * (1 - 1e-9);
      });
      EXPECT_TRUE(has_bottleneck) << "flow " << one << " in step " << step;
    }
  }
}

}  // namespace fair_shares_test
}  // namespace cuboid::detail
