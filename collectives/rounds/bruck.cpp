#include "collectives/rounds/bruck.hpp"

#include "collectives/rounds/shape_numbers.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace cuboid::detail {

namespace {

std::vector<NumberSystem> number_systems(const Shape& shape, int radix) {
  std::vector<NumberSystem> systems;
  for (const Axis& axis : shape.axes()) systems.emplace_back(axis.extent, radix);
  return systems;
}

// The order of the axes in which a block goes.
int order_of(const Shape& shape, int block, int orders) {
  int sum = 0;
  for (int axis = 0; axis < shape.dimensions(); ++axis) sum += shape.coordinate(block, axis);
  return sum % orders;
}

// How many of the distances along an axis that have a digit, if one is given, leave which rest.
std::vector<int> count_by_rest(int extent, const NumberSystem& system,
                               const std::optional<DistanceDigit>& digit, int divisor) {
  std::vector<int> count(static_cast<std::size_t>(divisor), 0);
  for (int distance = 0; distance < extent; ++distance) {
    if (!digit || system.has(distance, *digit))
      ++count[static_cast<std::size_t>(distance % divisor)];
  }
  return count;
}

// By the rest that the sum of both leaves.
std::vector<int> sums(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> count(a.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) count[(i + j) % count.size()] += a[i] * b[j];
  }
  return count;
}

// Of a message, ascending.
std::vector<int> blocks_of(const DigitMessage& message, const Shape& shape,
                           const std::vector<NumberSystem>& systems, int orders) {
  std::vector<std::vector<int>> along;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    auto& distances = along.emplace_back();
    for (int distance = 0; distance < shape.extent(axis); ++distance) {
      if (axis != message.axis ||
          systems[static_cast<std::size_t>(axis)].has(distance, message.digit))
        distances.push_back(distance);
    }
  }
  std::vector<int> blocks = nodes_at(shape, along);
  std::erase_if(blocks, [&](int block) { return order_of(shape, block, orders) != message.order; });
  return blocks;
}

// The messages of one order of the axes along one of them.
class DigitMessages {
 public:
  DigitMessages(const Shape& shape, const std::vector<NumberSystem>& systems, int axis, int order,
                int orders)
      : shape_(shape),
        system_(systems[static_cast<std::size_t>(axis)]),
        axis_(axis),
        order_(order),
        orders_(orders),
        others_(static_cast<std::size_t>(orders), 0) {
    others_.front() = 1;
    for (int other = 0; other < shape.dimensions(); ++other) {
      if (other == axis) continue;
      others_ = sums(others_, count_by_rest(shape.extent(other),
                                            systems[static_cast<std::size_t>(other)], {}, orders));
    }
  }

  void add_place(int place, std::vector<DigitMessage>& messages) const {
    const int extent = shape_.extent(axis_);
    for (int number = 0; number < system_.digits(place); ++number) {
      const DistanceDigit digit = system_.digit(place, number);
      if (digit.value == 0) continue;
      const auto along = count_by_rest(extent, system_, digit, orders_);
      const int blocks = sums(others_, along)[static_cast<std::size_t>(order_)];
      if (blocks == 0) continue;
      messages.push_back(
          {axis_, (digit.value * digit.stride + extent) % extent, digit, order_, blocks});
    }
  }

 private:
  const Shape& shape_;
  const NumberSystem& system_;
  int axis_;
  int order_;
  int orders_;
  std::vector<int> others_;  // blocks by the rest of the sum of their other distances
};

}  // namespace

std::vector<std::vector<DigitMessage>> bruck_messages(const Shape& shape,
                                                      const BruckDigits& digits) {
  const std::vector<NumberSystem> systems = number_systems(shape, digits.radix);
  std::vector<std::vector<DigitMessage>> rounds;
  for (int order = 0; order < digits.orders; ++order) {
    std::size_t round = 0;
    for (int turn = shape.dimensions(); turn-- > 0;) {
      const int axis = (turn + order * shape.dimensions() / digits.orders) % shape.dimensions();
      const DigitMessages along(shape, systems, axis, order, digits.orders);
      for (int place = 0; place < systems[static_cast<std::size_t>(axis)].places(); ++place) {
        if (round == rounds.size()) rounds.emplace_back();
        along.add_place(place, rounds[round++]);
      }
    }
  }
  return rounds;
}

int count_bruck_messages(const Shape& shape, const BruckDigits& digits) {
  int messages = 0;
  for (const NumberSystem& system : number_systems(shape, digits.radix)) {
    for (int place = 0; place < system.places(); ++place) messages += system.digits(place) - 1;
  }
  return messages * digits.orders;
}

Rounds bruck_alltoall(const Shape& shape, const BruckDigits& digits, std::optional<int> only) {
  const std::vector<NumberSystem> systems = number_systems(shape, digits.radix);
  Rounds rounds{.ranks = static_cast<int>(shape.nodes()), .packed = true};
  for (const auto& messages : bruck_messages(shape, digits)) {
    auto& round = rounds.rounds.emplace_back();
    for (const DigitMessage& message : messages) {
      const std::vector<int> blocks = blocks_of(message, shape, systems, digits.orders);
      const NodeIndex distance = message.distance * shape.stride(message.axis);
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
