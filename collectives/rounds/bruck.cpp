#include "collectives/rounds/bruck.hpp"

#include "collectives/rounds/shape_numbers.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace cuboid::detail {

namespace {

std::vector<NumberSystem> number_systems(const Shape& shape, int radix) {
  std::vector<NumberSystem> systems;
  for (const Axis& axis : shape.axes()) systems.emplace_back(axis.extent, radix);
  return systems;
}

// Of the distances along an axis, those with this digit if one is given: the number that leaves
// each remainder when divided by `divisor`.
std::vector<int> count_by_rest(int extent, const NumberSystem& system,
                               const std::optional<DistanceDigit>& digit, int divisor) {
  std::vector<int> count(static_cast<std::size_t>(divisor), 0);
  for (int distance = 0; distance < extent; ++distance) {
    if (!digit || system.has(distance, *digit))
      ++count[static_cast<std::size_t>(distance % divisor)];
  }
  return count;
}

// The same of sums of two distances, of which the numbers by remainder are `a` and `b`.
std::vector<int> sums(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> count(a.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) count[(i + j) % count.size()] += a[i] * b[j];
  }
  return count;
}

// The blocks of a message. A block travels along the order of the axes that the sum of its
// distances leaves as a remainder. So positions on an axis that leave the same remainder come one
// after another: their lines are alike, and few steps pack them.
BlockSet blocks_of(const DigitMessage& message, const Shape& shape,
                   const std::vector<NumberSystem>& systems, int orders) {
  struct Line {
    int first = 0;
    int sum = 0;  // of distances
  };
  const auto along = [&](int axis) {
    const auto way = std::ranges::find(message.ways, axis, &DigitWay::axis);
    std::vector<int> distances;
    for (int distance = 0; distance < shape.extent(axis); ++distance) {
      if (way == message.ways.end() ||
          systems[static_cast<std::size_t>(axis)].has(distance, way->digit))
        distances.push_back(distance);
    }
    std::ranges::stable_sort(distances, {}, [orders](int distance) { return distance % orders; });
    return distances;
  };
  std::vector<Line> lines = {{}};
  const int last = shape.dimensions() - 1;
  for (int axis = 0; axis < last; ++axis) {
    std::vector<Line> further;
    const std::vector<int> distances = along(axis);
    further.reserve(lines.size() * distances.size());
    for (const auto& [first, sum] : lines) {
      for (const int distance : distances)
        further.push_back({first * shape.extent(axis) + distance, sum + distance});
    }
    lines = std::move(further);
  }
  // The blocks of a line, by the remainder that their distances leave.
  std::vector<BlockSet> of_line(static_cast<std::size_t>(orders));
  for (const int distance : along(last))
    of_line[static_cast<std::size_t>(distance % orders)].push_back(distance);
  BlockSet blocks;
  for (const auto& [first, sum] : lines) {
    const int rest = (message.order + orders - sum % orders) % orders;
    for (auto row : of_line[static_cast<std::size_t>(rest)].progressions()) {
      row.first += first * shape.extent(last);
      blocks.push_back(row);
    }
  }
  return blocks;
}

// The axes of an order, in groups: blocks go along the axes of a group in the same rounds.
std::vector<std::vector<int>> legs_of(const std::vector<NumberSystem>& systems,
                                      const BruckDigits& digits, int order) {
  const auto dimensions = static_cast<int>(systems.size());
  const auto has_one_place = [&](int axis) {
    return systems[static_cast<std::size_t>(axis)].places() == 1;
  };
  std::vector<std::vector<int>> legs;
  for (int turn = dimensions; turn-- > 0;) {
    const int axis = (turn + order * dimensions / digits.orders) % dimensions;
    const bool joins = !legs.empty() && std::ssize(legs.back()) < digits.axes &&
                       has_one_place(axis) && has_one_place(legs.back().front());
    if (joins) {
      legs.back().push_back(axis);
    } else {
      legs.push_back({axis});
    }
  }
  return legs;
}

// The messages of one order of the axes along one or two of them.
class DigitMessages {
 public:
  DigitMessages(const Shape& shape, const std::vector<NumberSystem>& systems,
                const std::vector<int>& leg, int order, int orders)
      : shape_(shape),
        systems_(systems),
        leg_(leg),
        order_(order),
        others_(static_cast<std::size_t>(orders), 0) {
    others_.front() = 1;
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      if (std::ranges::find(leg, axis) == leg.end()) others_ = sums(others_, by_rest(axis, {}));
    }
  }

  /// A round.
  void add_place(int place, std::vector<DigitMessage>& messages) const {
    add_ways(place, {{}, order_, 0}, others_, messages);
  }

 private:
  std::vector<int> by_rest(int axis, const std::optional<DistanceDigit>& digit) const {
    return count_by_rest(shape_.extent(axis), systems_[static_cast<std::size_t>(axis)], digit,
                         static_cast<int>(others_.size()));
  }

  // Adds the messages along the axes from `next` on. `blocks`: the number of blocks by the
  // remainder of the sum of their distances.
  void add_ways(int place, DigitMessage message, const std::vector<int>& blocks,
                std::vector<DigitMessage>& messages, std::size_t next = 0) const {
    if (next == leg_.size()) {
      message.blocks = blocks[static_cast<std::size_t>(order_)];
      if (message.blocks > 0) messages.push_back(std::move(message));
      return;
    }
    const int axis = leg_[next];
    const int extent = shape_.extent(axis);
    const NumberSystem& system = systems_[static_cast<std::size_t>(axis)];
    for (int number = 0; number < system.digits(place); ++number) {
      const DistanceDigit digit = system.digit(place, number);
      const bool last = next + 1 == leg_.size();
      const bool stays = std::ranges::all_of(
          message.ways, [](const DigitWay& way) { return way.digit.value == 0; });
      if (last && stays && digit.value == 0) continue;
      DigitMessage further = message;
      further.ways.push_back({axis, (digit.value * digit.stride + extent) % extent, digit});
      add_ways(place, std::move(further), sums(blocks, by_rest(axis, digit)), messages, next + 1);
    }
  }

  const Shape& shape_;
  const std::vector<NumberSystem>& systems_;
  const std::vector<int>& leg_;
  int order_;
  std::vector<int> others_;  // the number of blocks by the remainder of the sum of their distances
                             // along the other axes
};

}  // namespace

std::vector<std::vector<DigitMessage>> bruck_messages(const Shape& shape,
                                                      const BruckDigits& digits) {
  const std::vector<NumberSystem> systems = number_systems(shape, digits.radix);
  std::vector<std::vector<DigitMessage>> rounds;
  for (int order = 0; order < digits.orders; ++order) {
    std::size_t round = 0;
    for (const std::vector<int>& leg : legs_of(systems, digits, order)) {
      const DigitMessages along(shape, systems, leg, order, digits.orders);
      const int places = systems[static_cast<std::size_t>(leg.front())].places();
      for (int place = 0; place < places; ++place) {
        if (round == rounds.size()) rounds.emplace_back();
        along.add_place(place, rounds[round++]);
      }
    }
  }
  return rounds;
}

int count_bruck_messages(const Shape& shape, const BruckDigits& digits) {
  const std::vector<NumberSystem> systems = number_systems(shape, digits.radix);
  int messages = 0;
  for (int order = 0; order < digits.orders; ++order) {
    for (const std::vector<int>& leg : legs_of(systems, digits, order)) {
      const NumberSystem& first = systems[static_cast<std::size_t>(leg.front())];
      for (int place = 0; place < first.places(); ++place) {
        int of_place = 1;
        for (const int axis : leg)
          of_place *= systems[static_cast<std::size_t>(axis)].digits(place);
        messages += of_place - 1;
      }
    }
  }
  return messages;
}

Rounds bruck_alltoall(const Shape& shape, const BruckDigits& digits, std::optional<int> only) {
  const std::vector<NumberSystem> systems = number_systems(shape, digits.radix);
  Rounds rounds{
      .ranks = static_cast<int>(shape.nodes()), .packed = true, .lockstep = digits.axes > 1};
  for (const auto& messages : bruck_messages(shape, digits)) {
    auto& round = rounds.rounds.emplace_back();
    for (const DigitMessage& message : messages) {
      const BlockSet blocks = blocks_of(message, shape, systems, digits.orders);
      NodeIndex distance = 0;
      for (const DigitWay& way : message.ways) distance += way.distance * shape.stride(way.axis);
      for (const int sender : senders(shape, distance, only)) {
        round.push_back({.sender = sender,
                         .receiver = static_cast<int>(node_at(shape, sender, distance)),
                         .blocks = blocks});
      }
    }
  }
  return rounds;
}

}  // namespace cuboid::detail
