#include "collectives/rounds/bruck.hpp"

#include "collectives/algorithms/families.hpp"
#include "collectives/evaluation/shape_of_ranks.hpp"
#include "collectives/evaluation/symmetric_rounds.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

// The most messages of a rank that the model follows one by one.
constexpr int most_messages = 600;

// True if some block travels in both messages.
bool share_blocks(const DigitMessage& a, const DigitMessage& b, const Shape& shape) {
  if (a.order != b.order) return false;
  for (const DigitWay& way : a.ways) {
    const auto same = std::ranges::find(b.ways, way.axis, &DigitWay::axis);
    if (same != b.ways.end() && !any_has(way.digit, same->digit, shape.extent(way.axis)))
      return false;
  }
  return true;
}

// Blocks are ordered by distance first, packed and unpacked in every round, and copied to their
// places at the end.
SymmetricRounds rounds_of_digits(const Call& call, const Shape& shape, const BruckDigits& digits) {
  const double block = static_cast<double>(call.bytes()) / call.ranks();
  SymmetricRounds rounds(call, shape, Packed::yes);
  std::vector<DigitMessage> sent;
  std::size_t first_of_round = 0;
  const bool lockstep = digits.axes > 1;
  std::vector<int> distances(static_cast<std::size_t>(shape.dimensions()), 0);
  for (const auto& messages : bruck_messages(shape, digits)) {
    rounds.begin_round();
    const std::size_t last_round = std::exchange(first_of_round, sent.size());
    const std::size_t before = sent.size();
    for (const DigitMessage& message : messages) {
      std::vector<std::size_t> after;
      for (std::size_t earlier = 0; earlier < before; ++earlier) {
        if (lockstep ? earlier >= last_round : share_blocks(message, sent[earlier], shape))
          after.push_back(earlier);
      }
      std::ranges::fill(distances, 0);
      for (const DigitWay& way : message.ways)
        distances[static_cast<std::size_t>(way.axis)] = way.distance;
      rounds.add(distances, block * message.blocks, std::move(after));
      sent.push_back(message);
    }
  }
  return rounds;
}

// The least radix of each number of digits on the longest axis.
std::vector<int> radices_of(const Shape& shape) {
  const int longest = std::ranges::max(shape.axes(), {}, &Axis::extent).extent;
  std::vector<int> radices;
  const int most = std::clamp(longest, 2, most_messages);
  for (int radix = 2, places = 0; radix <= most; ++radix) {
    const int now = NumberSystem(longest, radix).places();
    if (now != places) radices.push_back(radix);
    places = now;
  }
  return radices;
}

// The digits to try for a radix; with two axes at once if all axes have one digit.
std::vector<BruckDigits> digits_worth_trying(const Shape& shape, int radix) {
  std::vector<BruckDigits> digits;
  const bool one_place = std::ranges::all_of(shape.axes(), [&](const Axis& axis) {
    return NumberSystem(axis.extent, radix).places() == 1;
  });
  for (int orders = 1; orders <= shape.dimensions(); ++orders) {
    digits.push_back({radix, orders});
    if (one_place && shape.dimensions() > 2) digits.push_back({radix, orders, 2});
  }
  return digits;
}

std::vector<Settings> settings_along(const Call& call, const Shape& shape) {
  if (!call.collective.equal_blocks) return {};
  std::vector<Settings> all;
  for (const int radix : radices_of(shape)) {
    for (const BruckDigits& digits : digits_worth_trying(shape, radix)) {
      if (!all.empty() && count_bruck_messages(shape, digits) > most_messages) continue;
      all.push_back(of_rounds(call).front());
      all.back().digits = digits;
    }
  }
  return all;
}

}  // namespace

std::vector<Algorithm> bruck_algorithms() {
  return {
      {"torus_bruck",
       "rounds at distances 1, 2, 4, … along the axes of a torus, several blocks per message",
       {Operation::alltoall},
       true,
       [](const Call& call) {
         const auto shape = axes_of_ranks(call);
         return shape ? settings_along(call, *shape) : std::vector<Settings>{};
       },
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return bruck_alltoall(shape_of_ranks(call).value(), settings.digits);
       },
       [](const Call& call, const Conditions&, const Settings& settings, int rank) -> RankPart {
         return bruck_alltoall(shape_of_ranks(call).value(), settings.digits, rank);
       },
       nullptr,
       [](const Call& call) { return shape_of_ranks(call).value(); },
       [](const Call& call, const Settings& settings) -> std::optional<SymmetricRounds> {
         return rounds_of_digits(call, axes_of_ranks(call).value(), settings.digits);
       }},
      {"bruck",
       "rounds at distances 1, 2, 4, … with several blocks per message (Bruck)",
       {Operation::alltoall},
       true,
       [](const Call& call) {
         // On a large torus messages along its axes cross fewer links than along a ring of all
         // ranks.
         constexpr int many_ranks = 4096;
         if (call.ranks() > many_ranks && axes_of_ranks(call)) return std::vector<Settings>{};
         return settings_along(call, ring_of(call.ranks()));
       },
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return bruck_alltoall(ring_of(call.ranks()), settings.digits);
       },
       [](const Call& call, const Conditions&, const Settings& settings, int rank) -> RankPart {
         return bruck_alltoall(ring_of(call.ranks()), settings.digits, rank);
       },
       nullptr,
       [](const Call& call) { return ring_of(call.ranks()); },
       [](const Call& call, const Settings& settings) -> std::optional<SymmetricRounds> {
         return rounds_of_digits(call, ring_of(call.ranks()), settings.digits);
       }},
  };
}

}  // namespace cuboid::detail
