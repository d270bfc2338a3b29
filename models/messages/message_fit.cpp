#include "models/messages/message_fit.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
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

double relative_error(const Hockney& message, const MessageSample& sample) {
  const double predicted = message.alpha + message.beta * byte_count(sample);
  return std::abs(sample.seconds - predicted) / sample.seconds;
}

/// The value, and the interval that contains 95% of the values found by resampling.
Measured interval_around(double value, std::vector<double> found) {
  std::ranges::sort(found);
  const auto tail = static_cast<std::size_t>(0.025 * static_cast<double>(found.size()));
  if (found.empty()) return exactly(value);
  return {value, std::min(value, found[tail]), std::max(value, found[found.size() - 1 - tail])};
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
  for (const MessageSample& sample : samples)
    errors.push_back({relative_error(fit.message, sample)});
  fit.spread = median(std::move(errors));
  return fit;
}

MeasuredLine measure_line(std::span<const MessageSample> samples) {
  const Hockney message = fit_messages(samples).message;
  constexpr int resamplings = 200;
  std::mt19937 random;  // always the same: equal samples give equal intervals
  std::vector<double> alphas;
  std::vector<double> betas;
  std::vector<MessageSample> drawn(samples.size());
  for (int i = 0; i < resamplings; ++i) {
    for (MessageSample& sample : drawn) sample = samples[random() % samples.size()];
    const auto one_size = [&](const MessageSample& one) { return one.bytes == drawn[0].bytes; };
    if (std::ranges::all_of(drawn, one_size)) continue;  // no line
    const MessageFit fit = fit_messages(drawn);
    alphas.push_back(fit.message.alpha);
    betas.push_back(fit.message.beta);
  }
  return {interval_around(message.alpha, std::move(alphas)),
          interval_around(message.beta, std::move(betas))};
}

namespace {

/// Samples by ascending sizes. Finds the lines that explain them best, by dynamic programming over
/// the number of sizes explained.
class Lines {
 public:
  explicit Lines(std::vector<MessageSample> samples) : samples_(std::move(samples)) {
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (i == 0 || samples_[i].bytes != samples_[i - 1].bytes) begins_.push_back(i);
    }
    begins_.push_back(samples_.size());
  }

  std::vector<MessageLine> best() const {
    constexpr std::size_t most_lines = 6;
    constexpr double exact = 0.01;  // relative error of a sample; no measurement is better
    const double floor = exact * static_cast<double>(samples_.size());
    // explained[n] is the best explanation of the first n sizes. Each round allows one line more.
    std::vector<Explained> explained(sizes() + 1);
    for (std::size_t n = 1; n <= sizes(); ++n) {
      if (n >= least_sizes || n == sizes()) explained[n] = by_one_line({.error = 0}, 0, n);
    }
    Explained best = explained.back();
    double least = best.error + floor;
    for (std::size_t lines = 2; lines <= most_lines; ++lines) {
      explained = with_another_line(explained);
      const Explained& all = explained.back();
      const double worth = (all.error + floor) * std::exp2(static_cast<double>(lines - 1));
      if (worth < least) {
        least = worth;
        best = all;
      }
    }
    return best.lines;
  }

 private:
  static constexpr std::size_t least_sizes = 3;

  struct Explained {
    double error = std::numeric_limits<double>::infinity();  ///< sum over samples, relative
    std::vector<MessageLine> lines = {};
  };

  std::size_t sizes() const { return begins_.size() - 1; }

  Explained by_one_line(Explained before, std::size_t first, std::size_t end) const {
    const auto piece = std::span(samples_).subspan(begins_[first], begins_[end] - begins_[first]);
    const Hockney message = fit_messages(piece).message;
    for (const MessageSample& sample : piece)
      before.error += std::min(1.0, relative_error(message, sample));
    before.lines.push_back({first == 0 ? 0 : piece.front().bytes, message});
    return before;
  }

  std::vector<Explained> with_another_line(const std::vector<Explained>& explained) const {
    std::vector<Explained> next(explained.size());
    for (std::size_t end = 2 * least_sizes; end <= sizes(); ++end) {
      for (std::size_t first = least_sizes; first + least_sizes <= end; ++first) {
        if (explained[first].error >= next[end].error) continue;
        Explained longer = by_one_line(explained[first], first, end);
        if (longer.error < next[end].error) next[end] = std::move(longer);
      }
    }
    return next;
  }

  std::vector<MessageSample> samples_;
  std::vector<std::size_t> begins_;  ///< index of the first sample of each size, and the end
};

}  // namespace

std::vector<MessageLine> fit_lines(std::span<const MessageSample> samples) {
  std::vector<MessageSample> sorted(samples.begin(), samples.end());
  std::ranges::stable_sort(sorted, {}, &MessageSample::bytes);
  fit_messages(sorted);  // throws if the samples determine no line
  return Lines(std::move(sorted)).best();
}

}  // namespace cuboid::detail
