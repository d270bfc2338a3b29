#include "collectives/prices/common_rounds.hpp"

#include "collectives/prices/round_seconds.hpp"
#include "collectives/prices/shape_of_ranks.hpp"
#include "collectives/rounds/shape_numbers.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cuboid::detail {

CommonLinks::CommonLinks(const Call& call, const Shape& shape) : call_(call), shape_(shape) {
  const std::optional<Shape> own = shape_of_ranks(call);
  const GroupCostModel& cost_model = call.cost_model;
  own_axes_ =
      own && std::ranges::equal(own->axes(), shape.axes(), {}, &Axis::extent, &Axis::extent);
  const double rate = 1 / cost_model.slowest().beta;
  if (own_axes_) {
    shape_ = *own;
    const GroupNodes& group = cost_model.nodes;
    const std::vector<double> relative = relative_rates(group);
    for (int axis = 0; axis < group.shape->dimensions(); ++axis) {
      if (group.shape->extent(axis) == 1) continue;
      const double faster = relative.empty() ? 1 : relative[static_cast<std::size_t>(axis)];
      rates_.insert(rates_.end(), 2, faster * rate);  // up and down
    }
    if (call.most_on_a_node() > 1) slots_ = shape_.dimensions() - 1;
  } else {
    rates_ = {rate};
  }
  if (cost_model.injection_bytes_per_second > 0)
    rates_.push_back(cost_model.injection_bytes_per_second);
}

// Returns the number of links.
double CommonLinks::cross_axes(std::span<const int> distances,
                               std::vector<double>& crossings) const {
  double links = 0;
  for (int axis = 0; axis < shape_.dimensions(); ++axis) {
    const int up = distances[static_cast<std::size_t>(axis)];
    if (up == 0 || axis == slots_) continue;
    const int extent = shape_.extent(axis);
    const int down = extent - up;
    const double of_a_node = call_.most_on_a_node();
    double& upwards = crossings[2 * static_cast<std::size_t>(axis)];
    double& downwards = crossings[2 * static_cast<std::size_t>(axis) + 1];
    const double shorter = std::min(up, down) * of_a_node;
    if (!shape_.wraps(axis)) {
      // Those to beyond the end go back, and cross as many others.
      upwards = downwards = shorter;
      links += std::max(up, down);
      continue;
    }
    links += std::min(up, down);
    if (up < down) upwards = shorter;
    if (down < up) downwards = shorter;
    // Every other one goes down; round a ring of two both over the same cable.
    if (up == down) upwards = downwards = (up + 1) / 2 * of_a_node;
  }
  return links;
}

double CommonLinks::cross_network(std::span<const int> distances,
                                  std::vector<double>& crossings) const {
  const NodeIndex distance = number_of(shape_, distances);
  const RoundLoad load =
      round_load(call_, {.count = call_.ranks(), .message = [&](int rank) -> RoundMessage {
                           return {rank, static_cast<int>(node_at(shape_, rank, distance))};
                         }});
  crossings.front() = load.on_link;
  return load.farthest;
}

CommonMessage CommonLinks::message(std::span<const int> distances, double bytes) const {
  std::vector<double> crossings(rates_.size(), 0.0);
  const double links =
      own_axes_ ? cross_axes(distances, crossings) : cross_network(distances, crossings);
  return over_links(links, std::move(crossings), bytes);
}

CommonMessage CommonLinks::to_neighbour(int axis, int direction, double bytes) const {
  std::vector<int> distances(static_cast<std::size_t>(shape_.dimensions()), 0);
  distances[static_cast<std::size_t>(axis)] = direction > 0 ? 1 : shape_.extent(axis) - 1;
  if (!own_axes_ || shape_.wraps(axis) || axis == slots_) return message(distances, bytes);
  std::vector<double> crossings(rates_.size(), 0.0);
  crossings[2 * static_cast<std::size_t>(axis) + (direction > 0 ? 0 : 1)] = call_.most_on_a_node();
  return over_links(1, std::move(crossings), bytes);
}

CommonMessage CommonLinks::over_links(double links, std::vector<double> crossings,
                                      double bytes) const {
  CommonMessage message{.bytes = bytes, .crossings = std::move(crossings)};
  const GroupCostModel& cost_model = call_.cost_model;
  if (links == 0) {
    message.latency = cost_model.node.alpha;
    message.receive_seconds = cost_model.node.beta * bytes;
    return message;
  }
  if (cost_model.injection_bytes_per_second > 0) message.crossings.back() = call_.most_on_a_node();
  const LogGP network = cost_model.between_nodes();
  message.send_seconds = network.send_overhead;
  message.latency = network.latency + cost_model.hop_seconds * (links - 1);
  message.receive_seconds = network.receive_overhead;
  return message;
}

void CommonRounds::add(std::span<const int> distances, double bytes, std::vector<std::size_t> after,
                       std::size_t colour) {
  append(links_.message(distances, bytes), number_of(shape_, distances), std::move(after), colour);
}

void CommonRounds::add_to_neighbour(int axis, int direction, double bytes,
                                    std::vector<std::size_t> after, std::size_t colour) {
  const NodeIndex peer = node_above(shape_, axis, 0, direction);
  append(links_.to_neighbour(axis, direction, bytes), peer, std::move(after), colour);
}

void CommonRounds::append(CommonMessage message, NodeIndex distance, std::vector<std::size_t> after,
                          std::size_t colour) {
  message.after = std::move(after);
  message.peer = peers_.try_emplace(distance, peers_.size()).first->second;
  message.receive_seconds += copy_seconds_per_byte_ * message.bytes;
  bytes_ += message.bytes;
  messages_.push_back(std::move(message));
  colours_.push_back(colour);
}

void CommonRounds::reverse(double combine_seconds_per_byte) {
  turn(combine_seconds_per_byte);
}

void CommonRounds::reduce_first(double combine_seconds_per_byte) {
  std::vector<CommonMessage> back = messages_;
  const std::vector<std::size_t> number = turn(combine_seconds_per_byte);
  std::map<std::size_t, std::vector<std::size_t>> last;  // by colour
  for (std::size_t message = 0; message < back.size(); ++message) {
    if (back[message].after.empty()) last[colours_[message]].push_back(number[message]);
  }
  for (std::size_t message = 0; message < back.size(); ++message) {
    std::vector<std::size_t>& after = back[message].after;
    if (after.empty()) {
      after = last[colours_[message]];
    } else {
      for (std::size_t& earlier : after) earlier += back.size();
    }
  }
  for (const std::size_t first : std::vector(first_of_round_))
    first_of_round_.push_back(first + back.size());
  bytes_ *= 2;
  std::ranges::move(back, std::back_inserter(messages_));
}

// Returns the new number of each message.
std::vector<std::size_t> CommonRounds::turn(double combine_seconds_per_byte) {
  std::vector<std::size_t> order;
  for (std::size_t round = first_of_round_.size(), end = messages_.size(); round-- > 0;) {
    for (std::size_t old = first_of_round_[round]; old < end; ++old) order.push_back(old);
    end = first_of_round_[round];
  }
  std::vector<std::size_t> number(order.size());
  for (std::size_t now = 0; now < order.size(); ++now) number[order[now]] = now;
  std::vector<CommonMessage> reversed;
  for (const std::size_t old : order) {
    reversed.push_back(messages_[old]);
    reversed.back().after.clear();
    reversed.back().receive_seconds += combine_seconds_per_byte * messages_[old].bytes;
  }
  for (std::size_t later = 0; later < messages_.size(); ++later) {
    for (const std::size_t earlier : messages_[later].after)
      reversed[number[earlier]].after.push_back(number[later]);
  }
  messages_ = std::move(reversed);
  return number;
}

RoundsSteps CommonRounds::steps() const {
  const auto rounds = static_cast<double>(first_of_round_.size());
  return {.rounds = rounds,
          .bytes = bytes_,
          .messages = rounds > 0 ? static_cast<double>(messages_.size()) / rounds : 0};
}

}  // namespace cuboid::detail
