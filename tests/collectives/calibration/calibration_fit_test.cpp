#include "collectives/calibration/calibration_fit.hpp"

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/selection/simulated_seconds.hpp"

#include <array>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace calibration_fit_test {

constexpr double beta = 8e-8;

GroupNodes torus() {
  GroupNodes nodes = GroupNodes::apart(16);
  nodes.shape = Shape::torus(std::array{4, 4});
  nodes.network = Network::of_shape(*nodes.shape);
  nodes.link_bytes_per_second = 1 / beta;
  return nodes;
}

// As if every message took exactly α + β per byte.
Samples exact_samples() {
  Samples samples;
  PairSamples& places = samples.between_nodes;
  places.one_way = {10e-6, 10e-6, 10e-6};
  places.send_overheads = {2e-6, 2e-6};
  places.receive_overheads = {3e-6, 3e-6};
  places.gaps = {4e-6};
  for (std::size_t bytes = 8; bytes <= 1 << 20; bytes *= 2) {
    const double seconds = 10e-6 + beta * static_cast<double>(bytes);
    places.single.push_back({bytes, seconds});
    places.streamed.push_back({bytes, seconds});
  }
  return samples;
}

TEST(CalibrationFit, FindsTheLineThatMessagesLieOn) {
  const Parameters parameters =
      fit_parameters(exact_samples(), group_cost_model_of(torus(), 1, nullptr));
  ASSERT_TRUE(parameters.between_nodes);
  EXPECT_NEAR(parameters.between_nodes->beta.value, beta, 1e-3 * beta);
  EXPECT_EQ(parameters.between_nodes->alpha.value, 10e-6);
  EXPECT_NEAR(parameters.between_nodes->latency->value, 5e-6, 1e-12);
  EXPECT_EQ(parameters.cable_bytes_per_second, 1 / beta);
  EXPECT_FALSE(parameters.within_node);
  EXPECT_FALSE(parameters.incast_loss);
  EXPECT_TRUE(parameters.crowded_network.empty());
}

TEST(CalibrationFit, AStreamsIntervalIsThatOfItsSecondHalf) {
  EXPECT_DOUBLE_EQ(interval_in_flow(5e-6, 9e-6, 16), 0.5e-6);
  EXPECT_DOUBLE_EQ(interval_in_flow(0, 8e-6, 2), 8e-6);
  // A disturbed first half: no machine moves a message in no time.
  for (const double disturbed : {9e-6 - 1e-12, 9e-6, 1e-3})
    EXPECT_DOUBLE_EQ(interval_in_flow(disturbed, 9e-6, 16), 9e-6 / 16);
}

TEST(CalibrationFit, FindsWhatEveryFurtherCableAdds) {
  Samples samples = exact_samples();
  const GroupCostModel cost_model = group_cost_model_of(torus(), 1, nullptr);
  EXPECT_FALSE(fit_parameters(samples, cost_model).hop);
  samples.cables = 4;
  samples.distant = {16e-6, 16e-6, 16e-6};
  EXPECT_NEAR(fit_parameters(samples, cost_model).hop->value, 2e-6, 1e-12);
  samples.distant = {9e-6, 9e-6, 9e-6};  // noise
  EXPECT_EQ(fit_parameters(samples, cost_model).hop->value, 0);
}

// Of 16 messages the first takes what a round of one takes, each of the others less by a context
// switch. In half of the runs something else used the cores.
TEST(CalibrationFit, CrowdsShowWhatAFurtherMessageAndAContextSwitchTake) {
  struct Expected {
    std::size_t bytes;
    double message;
    double context_switch;
  };
  const std::array<Expected, 3> expected{{{8, 5e-6, 7e-6}, {512, 6e-6, 20e-6}, {4096, 8e-6, 8e-6}}};
  CrowdedNetwork visit{.sizes = {}, .received = 16};
  for (const auto& [bytes, message, context_switch] : expected) {
    const double one = context_switch + message;
    const double many = context_switch + 16 * message;
    visit.sizes.push_back({bytes, {one, 3 * one}, {9 * many, many}});
  }
  Samples samples = exact_samples();
  for (int visits = 0; visits < 3; ++visits) samples.crowded_network.add(visit);
  const Parameters parameters = fit_parameters(samples, group_cost_model_of(torus(), 8, nullptr));
  ASSERT_EQ(parameters.crowded_network.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(parameters.crowded_network[i].bytes, expected[i].bytes);
    EXPECT_NEAR(parameters.crowded_network[i].seconds, expected[i].message, 1e-12);
  }
  EXPECT_NEAR(parameters.network_context_switch->value, 8e-6, 1e-12);
}

// An all-to-all that takes as long as the simulator says with a loss shows that loss.
TEST(CalibrationFit, WhatCrowdedLinksLoseIsFoundAgain) {
  Samples samples = exact_samples();
  GroupCostModel cost_model = group_cost_model_of(torus(), 1, nullptr);
  const Parameters without = fit_parameters(samples, cost_model);
  cost_model = group_cost_model_of(torus(), 1, &without);
  for (const double loss : {0.0, 0.1, 0.3}) {
    cost_model.incast_loss = loss;
    const std::size_t block = 150'000;
    const Collective alltoall{.operation = Operation::alltoall,
                              .type = Datatype::Kind::byte,
                              .count = 16 * block,
                              .equal_blocks = true};
    const Call call{alltoall, cost_model};
    const Algorithm* direct = find_algorithm("direct");
    const double seconds = simulated_seconds(call, *direct, direct->settings(call).front()).value();
    samples.everyone = {torus(), block, {seconds, seconds, seconds}};
    const auto found = fit_parameters(samples, cost_model).incast_loss;
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->value, loss, 0.01);
    EXPECT_LE(found->least, found->value);
    EXPECT_LE(found->value, found->most);
    // Of many runs the quartile lies below the median's interval.
    samples.everyone.seconds.clear();
    for (int run = 0; run < 40; ++run)
      samples.everyone.seconds.push_back(seconds * (1 + run * 0.01));
    const auto of_many = fit_parameters(samples, cost_model).incast_loss;
    EXPECT_LE(of_many->least, of_many->value);
    EXPECT_LE(of_many->value, of_many->most);
  }
}

}  // namespace calibration_fit_test
}  // namespace cuboid::detail
