#include <cuboid/base/error.hpp>
#include <cuboid/models/message_fit.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

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
  return values.back().value;  // rounding has lost a little of the weight
}

double byte_count(const MessageSample& sample) {
  return static_cast<double>(sample.bytes);
}

}  // namespace

MessageFit fit_messages(std::span<const MessageSample> samples) {
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
  MessageFit fit;
  fit.message.beta = std::max(0.0, median(std::move(slopes)));

  std::vector<Weighted> rests;
  for (const MessageSample& sample : samples)
    rests.push_back({sample.seconds - fit.message.beta * byte_count(sample), 1 / sample.seconds});
  fit.message.alpha = std::max(0.0, median(std::move(rests)));

  std::vector<Weighted> errors;
  for (const MessageSample& sample : samples) {
    const double predicted = fit.message.alpha + fit.message.beta * byte_count(sample);
    errors.push_back({std::abs(sample.seconds - predicted) / sample.seconds});
  }
  fit.spread = median(std::move(errors));
  return fit;
}

}  // namespace cuboid
