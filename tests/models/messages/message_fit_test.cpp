#include "models/messages/message_fit.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace message_fit_test {

constexpr Hockney real{.alpha = 2e-6, .beta = 3e-10};

/// `each` samples of every power of two from 8 B to 4 MiB.
std::vector<MessageSample> on_the_line(const Hockney& message, int each) {
  std::vector<MessageSample> samples;
  for (std::size_t bytes = 8; bytes <= std::size_t{4} << 20; bytes *= 2) {
    for (int i = 0; i < each; ++i)
      samples.push_back({bytes, message.alpha + message.beta * static_cast<double>(bytes)});
  }
  return samples;
}

void expect_near(const Hockney& found, double tolerance) {
  EXPECT_NEAR(found.alpha / real.alpha, 1, tolerance);
  EXPECT_NEAR(found.beta / real.beta, 1, tolerance);
}

TEST(MessageFit, SamplesOnALineGiveTheLine) {
  for (const int each : {1, 3}) {
    expect_near(fit_messages(on_the_line(real, each)), 1e-6);
  }
}

TEST(MessageFit, NoiseHardlyMovesIt) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(1, 0.1);
    auto samples = on_the_line(real, 5);
    for (MessageSample& sample : samples) sample.seconds *= std::max(0.1, noise(random));
    expect_near(fit_messages(samples), 0.15);
  }
}

TEST(MessageFit, WildSamplesAreOutvoted) {
  auto samples = on_the_line(real, 5);
  for (std::size_t i = 0; i < samples.size(); i += 5) samples[i].seconds *= 100;
  expect_near(fit_messages(samples), 0.02);
}

TEST(MessageFit, OneWildSampleOfTheLongestMessagesDoesNotDecide) {
  auto samples = on_the_line(real, 1);
  samples.back().seconds *= 50;
  expect_near(fit_messages(samples), 0.02);
}

TEST(MessageFit, NoParameterIsNegative) {
  const std::vector<MessageSample> falling = {{8, 5e-6}, {1024, 4e-6}, {1 << 20, 3e-6}};
  EXPECT_EQ(fit_messages(falling).beta, 0);
  const std::vector<MessageSample> steep = {{1000, 1e-6}, {2000, 3e-6}};
  EXPECT_EQ(fit_messages(steep).alpha, 0);
}

TEST(MessageFit, IntervalsHoldTheTruth) {
  int held = 0;
  constexpr int runs = 40;
  for (unsigned seed = 0; seed < runs; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(1, 0.05);
    auto samples = on_the_line(real, 3);
    for (MessageSample& sample : samples) sample.seconds *= noise(random);
    const MeasuredLine fit = measure_line(samples);
    EXPECT_LE(fit.beta.least, fit.beta.value);
    EXPECT_LE(fit.beta.value, fit.beta.most);
    EXPECT_LT(fit.beta.most - fit.beta.least, 0.3 * real.beta);
    EXPECT_LE(fit.alpha.least, fit.alpha.value);
    EXPECT_LE(fit.alpha.value, fit.alpha.most);
    held += fit.beta.least <= real.beta && real.beta <= fit.beta.most ? 1 : 0;
  }
  EXPECT_GE(held, runs * 8 / 10);
}

TEST(Measured, IsTheMedianWithinItsInterval) {
  std::vector<double> values;
  for (int i = 101; i > 0; --i) values.push_back(i);
  const Measured median = median_of(values);
  EXPECT_EQ(median.value, 51);
  EXPECT_NEAR(median.least, 41, 1);
  EXPECT_NEAR(median.most, 61, 1);
  EXPECT_EQ(median_of(std::vector{3.0}).most, 3);
  EXPECT_EQ(median_of(std::vector{1.0, 2.0}).value, 1.5);
  EXPECT_EQ(lower_quartile(values), 26);
  EXPECT_EQ(lower_quartile(std::vector{9.0, 2.0, 9.0, 9.0}), 2);
  EXPECT_EQ(lower_quartile(std::vector{4.0, 3.0, 9.0, 9.0, 1.0}), 3);
  EXPECT_THROW(lower_quartile({}), Error);
  EXPECT_THROW(median_of({}), Error);
  EXPECT_THROW(median_of(std::vector{std::numeric_limits<double>::quiet_NaN()}), Error);
}

TEST(MessageFit, RefusesWhatShowsNoLine) {
  const auto refused = [](std::vector<MessageSample> samples) {
    try {
      fit_messages(samples);
    } catch (const Error& error) {
      return error.code() == ErrorCode::invalid_argument;
    }
    return false;
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({{8, 1e-6}}));
  EXPECT_TRUE(refused({{8, 1e-6}, {8, 2e-6}}));
  EXPECT_TRUE(refused({{8, 0}, {16, 2e-6}}));
  EXPECT_TRUE(refused({{8, -1e-6}, {16, 2e-6}}));
  EXPECT_TRUE(refused({{8, std::numeric_limits<double>::quiet_NaN()}, {16, 2e-6}}));
  EXPECT_TRUE(refused({{8, 1e-6}, {16, std::numeric_limits<double>::infinity()}}));
}

}  // namespace message_fit_test
}  // namespace cuboid::detail
