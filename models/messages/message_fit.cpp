#include "models/messages/message_fit.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

struct Weighted {
  double value = 0;
  double weight = 1;
};

/// The least value that at least half of the weight does not exceed.
double median(std::vector<Weighted> values) {
  std::ranges::sort(values, {}, &Weighted::value);
  double total = 0;
  for (const Weighted& one : values) total += one.weight;
  double below = 0;
  for (const Weighted& one : values) {
    below += one.weight;
    if (2 * below >= total) return one.value;
  }
  return values.back().value;  // reached only if rounding lost a little of the weight
}

double byte_count(const MessageSample& sample) {
  return static_cast<double>(sample.bytes);
}

/// The value, and the interval that contains 95% of the values found by resampling.
Measured interval_around(double value, std::vector<double> found) {
  std::ranges::sort(found);
  const auto tail = static_cast<std::size_t>(0.025 * static_cast<double>(found.size()));
  if (found.empty()) return exactly(value);
  return {value, std::min(value, found[tail]), std::max(value, found[found.size() - 1 - tail])};
}

}  // namespace

Hockney fit_messages(std::span<const MessageSample> samples) {
  for (const MessageSample& sample : samples) {
    if (!std::isfinite(sample.seconds) || sample.seconds <= 0) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("a message of {} bytes took {} seconds: give a time greater than 0",
                              sample.bytes, sample.seconds));
    }
  }
  std::vector<Weighted> slopes;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = i + 1; j < samples.size(); ++j) {
      const double bytes = byte_count(samples[j]) - byte_count(samples[i]);
      if (bytes == 0) continue;
      slopes.push_back(
          {(samples[j].seconds - samples[i].seconds) / bytes, std::sqrt(std::abs(bytes))});
    }
  }
  if (slopes.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "a line needs messages of two sizes at least: give samples of more sizes");
  }
  const double beta = std::max(0.0, median(std::move(slopes)));

  std::vector<Weighted> rests;
  for (const MessageSample& sample : samples)
    rests.push_back({sample.seconds - beta * byte_count(sample), 1 / sample.seconds});
  return {.alpha = std::max(0.0, median(std::move(rests))), .beta = beta};
}

MeasuredLine measure_line(std::span<const MessageSample> samples) {
  const Hockney message = fit_messages(samples);
  constexpr int resamplings = 200;
  std::mt19937 random;  // always the same: equal samples give equal intervals
  std::vector<double> alphas;
  std::vector<double> betas;
  std::vector<MessageSample> drawn(samples.size());
  for (int i = 0; i < resamplings; ++i) {
    for (MessageSample& sample : drawn) sample = samples[random() % samples.size()];
    const auto one_size = [&](const MessageSample& one) { return one.bytes == drawn[0].bytes; };
    if (std::ranges::all_of(drawn, one_size)) continue;  // no line
    const Hockney drawn_message = fit_messages(drawn);
    alphas.push_back(drawn_message.alpha);
    betas.push_back(drawn_message.beta);
  }
  return {interval_around(message.alpha, std::move(alphas)),
          interval_around(message.beta, std::move(betas))};
}

}  // namespace cuboid::detail
