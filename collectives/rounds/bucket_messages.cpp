#include "collectives/rounds/bucket_messages.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace cuboid::detail {

namespace {

// Consecutive pieces.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// On a line half of the rounds that go upwards.
int rounds_downwards(const Shape& shape, int axis) {
  return shape.wraps(axis) ? bucket_rounds(shape, axis) : (shape.extent(axis) - 1) / 2;
}

// The messages of one colour, exchange by exchange.
class ColourMessages {
 public:
  ColourMessages(const Shape& shape, const BucketColour& colour, std::size_t number,
                 int first_round, double blocks_in_a_run)
      : shape_(shape),
        colour_(colour),
        number_(number),
        parts_(bucket_parts(shape)),
        longest_run_(std::max(blocks_in_a_run * static_cast<double>(parts_), 1.0)) {
    std::int64_t bundle = parts_;
    int round = first_round;
    for (const int axis : colour.axes) {
      bundles_.push_back(bundle);
      sent_.emplace_back(2);
      for (int step = 1; step <= bucket_rounds(shape, axis); ++step, ++round) {
        add_exchange(+1, step, round);
        if (step <= rounds_downwards(shape, axis)) add_exchange(-1, step, round);
      }
      bundle *= shape.extent(axis);
    }
  }

  std::vector<BucketMessage> take() && { return std::move(messages_); }

 private:
  // The messages of an exchange, which pass on a range of a bundle.
  struct Sent {
    Range range;
    std::size_t first = 0;
    std::int64_t runs = 0;
  };

  std::vector<Sent>& sent(std::size_t axis, int direction) {
    return sent_[axis][direction > 0 ? 0 : 1];
  }

  // Adds an exchange along the last axis so far. Half of the opposite node's bundle goes each way.
  void add_exchange(int direction, int step, int round) {
    const std::size_t last = sent_.size() - 1;
    const int axis = colour_.axes[last];
    Range range{0, bundles_[last]};
    if (shape_.wraps(axis) && 2 * step == shape_.extent(axis)) {
      const std::int64_t half = bundles_[last] / 2;
      range = direction > 0 ? Range{0, half} : Range{half, 2 * half};
    }
    const std::int64_t pieces = range.end - range.begin;
    const auto needed =
        static_cast<std::int64_t>(std::ceil(static_cast<double>(pieces) / longest_run_));
    const std::int64_t runs = std::clamp(needed, std::int64_t{1}, pieces);
    const Sent now{range, messages_.size(), runs};
    for (std::int64_t run = 0; run < runs; ++run) {
      const Range of_run{range.begin + pieces * run / runs,
                         range.begin + pieces * (run + 1) / runs};
      BucketMessage message{number_, round, axis, direction,
                            static_cast<double>(of_run.end - of_run.begin) / parts_};
      if (step > 1) {
        await(sent(last, direction).back(), of_run, message.after);
      } else {
        await_own(last, of_run, message.after);
      }
      messages_.push_back(std::move(message));
    }
    sent(last, direction).push_back(now);
  }

  static void await(const Sent& sent, const Range& wanted, std::vector<std::size_t>& after) {
    const std::int64_t pieces = sent.range.end - sent.range.begin;
    for (std::int64_t run = 0; run < sent.runs; ++run) {
      const std::int64_t begin = sent.range.begin + pieces * run / sent.runs;
      const std::int64_t end = sent.range.begin + pieces * (run + 1) / sent.runs;
      if (begin < wanted.end && wanted.begin < end)
        after.push_back(sent.first + static_cast<std::size_t>(run));
    }
  }

  // Adds the messages that bring the wanted pieces of node 0's own bundle, which it has gathered
  // along the axes before: from the nodes along the axis before and, for the part of its own line,
  // along the axis before that.
  void await_own(std::size_t axis, const Range& wanted, std::vector<std::size_t>& after) {
    if (axis == 0) return;
    const std::int64_t bundle = bundles_[axis - 1];
    const int extent = shape_.extent(colour_.axes[axis - 1]);
    const bool wraps = shape_.wraps(colour_.axes[axis - 1]);
    for (std::int64_t place = wanted.begin / bundle; place * bundle < wanted.end; ++place) {
      const Range within{std::max(wanted.begin - place * bundle, std::int64_t{0}),
                         std::min(wanted.end - place * bundle, bundle)};
      if (place == 0) {
        await_own(axis - 1, within, after);
        continue;
      }
      // Blocks of nodes above come downwards. At the end of a line all blocks come from below.
      const auto from_above = static_cast<std::size_t>(place);
      const auto from_below = static_cast<std::size_t>(extent - place);
      if (wraps && 2 * from_above <= static_cast<std::size_t>(extent))
        await(sent(axis - 1, -1)[from_above - 1], within, after);
      if (!wraps || 2 * from_below <= static_cast<std::size_t>(extent))
        await(sent(axis - 1, +1)[from_below - 1], within, after);
    }
  }

  const Shape& shape_;
  const BucketColour& colour_;
  std::size_t number_;
  int parts_;
  double longest_run_;                                // pieces
  std::vector<std::int64_t> bundles_;                 // by axis of the colour, in pieces
  std::vector<std::vector<std::vector<Sent>>> sent_;  // by axis of the colour, direction and step
  std::vector<BucketMessage> messages_;
};

}  // namespace

std::vector<BucketMessage> bucket_messages(const Shape& shape,
                                           std::span<const BucketColour> colours,
                                           std::span<const double> blocks_in_a_run) {
  int rounds = 0;
  for (int axis = 0; axis < shape.dimensions(); ++axis) rounds += bucket_rounds(shape, axis);
  std::vector<BucketMessage> all;
  for (std::size_t number = 0; number < colours.size(); ++number) {
    const BucketColour& colour = colours[number];
    const std::size_t before = all.size();
    for (BucketMessage& message :
         ColourMessages(shape, colour, number, colour.pass * rounds, blocks_in_a_run[number])
             .take()) {
      for (std::size_t& earlier : message.after) earlier += before;
      all.push_back(std::move(message));
    }
  }
  std::vector<std::size_t> order(all.size());
  for (std::size_t number = 0; number < order.size(); ++number) order[number] = number;
  std::ranges::stable_sort(order, {}, [&](std::size_t number) { return all[number].round; });
  std::vector<std::size_t> place(order.size());
  for (std::size_t now = 0; now < order.size(); ++now) place[order[now]] = now;
  std::vector<BucketMessage> ordered;
  ordered.reserve(all.size());
  for (const std::size_t number : order) {
    ordered.push_back(std::move(all[number]));
    for (std::size_t& earlier : ordered.back().after) earlier = place[earlier];
  }
  return ordered;
}

int bucket_bundles(const Shape& shape, int axis) {
  return bucket_rounds(shape, axis) + rounds_downwards(shape, axis);
}

}  // namespace cuboid::detail
