#include "collectives/evaluation/symmetric_rounds.hpp"

#include "collectives/evaluation/shape_of_ranks.hpp"
#include "collectives/rounds/shape_numbers.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cuboid::detail {

CommonLinks::CommonLinks(const Call& call, const Shape& shape)
    : call_(call), shape_(shape), own_(shape_of_ranks(call)) {
  const GroupCostModel& cost_model = call.cost_model;
  own_axes_ =
      own_ && std::ranges::equal(own_->axes(), shape.axes(), {}, &Axis::extent, &Axis::extent);
  const double rate = 1 / cost_model.slowest().beta;
  if (own_) {
    const GroupNodes& group = cost_model.nodes;
    const std::vector<double> relative = relative_rates(group);
    for (int axis = 0; axis < group.shape->dimensions(); ++axis) {
      if (group.shape->extent(axis) == 1) continue;
      const double faster = relative.empty() ? 1 : relative[static_cast<std::size_t>(axis)];
      rates_.insert(rates_.end(), 2, faster * rate);  // up and down
    }
    if (call.most_on_a_node() > 1) slots_ = own_->dimensions() - 1;
  } else {
    rates_ = {rate};
  }
  if (own_axes_) shape_ = *own_;
  if (cost_model.injection_bytes_per_second > 0)
    rates_.push_back(cost_model.injection_bytes_per_second);
}

// Adds messages of `of_a_node` ranks of every node that go `up` nodes up an axis. Returns the
// number of links of the farthest.
double CommonLinks::cross_axis(int axis, int up, double of_a_node,
                               std::span<double> crossings) const {
  if (up == 0 || axis == slots_) return 0;
  const int extent = own_->extent(axis);
  const int down = extent - up;
  double& upwards = crossings[2 * static_cast<std::size_t>(axis)];
  double& downwards = crossings[2 * static_cast<std::size_t>(axis) + 1];
  const double shorter = std::min(up, down) * of_a_node;
  if (!own_->wraps(axis)) {
    // Messages beyond the end of a line go back, and as many messages cross each link downwards.
    upwards += shorter;
    downwards += shorter;
    return std::max(up, down);
  }
  if (up < down) upwards += shorter;
  if (down < up) downwards += shorter;
  // Halfway round a ring every other message goes down. On a ring of two both cross the same cable.
  if (up == down) {
    upwards += (up + 1) / 2 * of_a_node;
    downwards += (up + 1) / 2 * of_a_node;
  }
  return std::min(up, down);
}

// Adds messages between ranks whose numbers differ by a distance. Along an axis some ranks are one
// node further apart than others, because digits are carried over. If nothing is known of the
// network, all messages of a node leave it over one cable.
double CommonLinks::cross_network(std::span<const int> distances,
                                  std::span<double> crossings) const {
  NodeIndex distance = number_of(shape_, distances);
  const int on_a_node = call_.most_on_a_node();
  if (!own_) {
    if (call_.on_one_node()) return 0;
    crossings[0] += std::min<double>(static_cast<double>(distance), on_a_node);
    return 1;
  }
  double links = 0;
  // The ranks of a node from whose digits one is carried to the next axis: on every node if the
  // digits are places within nodes, otherwise on some nodes.
  double carrying = 0;
  bool on_every_node = false;
  for (int axis = own_->dimensions() - 1; axis >= 0; --axis) {
    const int extent = own_->extent(axis);
    const auto up = static_cast<int>(distance % extent);
    distance /= extent;
    if (axis == slots_) {
      carrying = up;
      on_every_node = true;
      continue;
    }
    std::vector<double> carried(crossings.begin(), crossings.end());
    const double of_others = cross_axis(axis, up, on_a_node - carrying, carried);
    const double further = cross_axis(axis, (up + 1) % extent, carrying, carried);
    const double of_all = on_every_node ? of_others : cross_axis(axis, up, on_a_node, crossings);
    for (std::size_t kind = 0; kind < crossings.size(); ++kind)
      crossings[kind] = std::max(crossings[kind], carried[kind]);
    links += std::max(of_all, carrying > 0 ? further : 0);
    if (up > 0) carrying = on_a_node;
    on_every_node = false;
  }
  return links;
}

double CommonLinks::cross(std::span<const int> distances, std::span<double> crossings) const {
  double links = 0;
  if (own_axes_) {
    for (int axis = 0; axis < shape_.dimensions(); ++axis)
      links += cross_axis(axis, distances[static_cast<std::size_t>(axis)], call_.most_on_a_node(),
                          crossings);
  } else {
    links = cross_network(distances, crossings);
  }
  if (links > 0 && call_.cost_model.injection_bytes_per_second > 0)
    crossings.back() += call_.most_on_a_node();
  return links;
}

double CommonLinks::cross_to_all(std::span<double> crossings) const {
  const double ranks = call_.ranks();
  const double on_a_node = call_.most_on_a_node();
  if (call_.on_one_node()) return 0;
  double links = 0;
  if (own_) {
    for (int axis = 0; axis < own_->dimensions(); ++axis) {
      double farthest = 0;
      for (int up = 1; up < own_->extent(axis); ++up)
        farthest = std::max(
            farthest, cross_axis(axis, up, on_a_node * ranks / own_->extent(axis), crossings));
      links += farthest;
    }
  } else {
    // Over one cable, up to as many messages of a node as it has ranks.
    crossings[0] += on_a_node * (on_a_node - 1) / 2 + on_a_node * (ranks - on_a_node);
    links = 1;
  }
  if (call_.cost_model.injection_bytes_per_second > 0)
    crossings.back() += on_a_node * (ranks - on_a_node);
  return links;
}

double CommonLinks::busiest(std::span<const double> crossings) const {
  double most = 0;
  for (std::size_t kind = 0; kind < crossings.size(); ++kind)
    most = std::max(most, crossings[kind] / (call_.cost_model.slowest().beta * rates_[kind]));
  return most;
}

CommonMessage CommonLinks::message(std::span<const int> distances, double bytes) const {
  std::vector<double> crossings(rates_.size(), 0.0);
  const double links = cross(distances, crossings);
  return over_links(links, std::move(crossings), bytes);
}

CommonMessage CommonLinks::to_neighbour(int axis, int direction, double bytes) const {
  std::vector<int> distances(static_cast<std::size_t>(shape_.dimensions()), 0);
  distances[static_cast<std::size_t>(axis)] = direction > 0 ? 1 : shape_.extent(axis) - 1;
  if (!own_axes_ || shape_.wraps(axis) || axis == slots_) return message(distances, bytes);
  std::vector<double> crossings(rates_.size(), 0.0);
  crossings[2 * static_cast<std::size_t>(axis) + (direction > 0 ? 0 : 1)] = call_.most_on_a_node();
  if (call_.cost_model.injection_bytes_per_second > 0) crossings.back() = call_.most_on_a_node();
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
  const LogGP network = cost_model.between_nodes();
  message.send_seconds = network.send_overhead;
  message.latency = network.latency + cost_model.hop_seconds * (links - 1);
  message.receive_seconds = network.receive_overhead;
  return message;
}

void SymmetricRounds::add(std::span<const int> distances, double bytes,
                          std::vector<std::size_t> after, std::size_t colour) {
  append(links_.message(distances, bytes), number_of(shape_, distances), std::move(after), colour);
}

void SymmetricRounds::add_to_neighbour(int axis, int direction, double bytes,
                                       std::vector<std::size_t> after, std::size_t colour) {
  const NodeIndex peer = node_above(shape_, axis, 0, direction);
  append(links_.to_neighbour(axis, direction, bytes), peer, std::move(after), colour);
}

void SymmetricRounds::append(CommonMessage message, NodeIndex distance,
                             std::vector<std::size_t> after, std::size_t colour) {
  message.after = std::move(after);
  message.peer = peers_.try_emplace(distance, peers_.size()).first->second;
  message.receive_seconds += copy_seconds_per_byte_ * message.bytes;
  bytes_ += message.bytes;
  messages_.push_back(std::move(message));
  colours_.push_back(colour);
}

void SymmetricRounds::reverse(double combine_seconds_per_byte) {
  turn(combine_seconds_per_byte);
}

void SymmetricRounds::reduce_first(double combine_seconds_per_byte) {
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

// Reverses the order of messages. Returns the new number of each message.
std::vector<std::size_t> SymmetricRounds::turn(double combine_seconds_per_byte) {
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

// Seconds that the busiest link, or a rank, needs for all messages.
double SymmetricRounds::busiest() const {
  std::vector<double> on_links(links_.bytes_per_second().size(), 0.0);
  double handling = 0;
  for (const CommonMessage& message : messages_) {
    handling += message.send_seconds + message.receive_seconds;
    for (std::size_t kind = 0; kind < message.crossings.size(); ++kind)
      on_links[kind] += message.crossings[kind] * message.bytes / links_.bytes_per_second()[kind];
  }
  return std::max(handling, std::ranges::max(on_links));
}

double SymmetricRounds::longest_chain(bool with_bytes) const {
  std::vector<double> end(messages_.size());
  for (std::size_t number = 0; number < messages_.size(); ++number) {
    const CommonMessage& message = messages_[number];
    double begin = 0;
    for (const std::size_t earlier : message.after) begin = std::max(begin, end[earlier]);
    double on_links = 0;
    for (std::size_t kind = 0; with_bytes && kind < message.crossings.size(); ++kind)
      on_links = std::max(
          on_links, message.crossings[kind] * message.bytes / links_.bytes_per_second()[kind]);
    end[number] =
        begin + message.send_seconds + on_links + message.latency + message.receive_seconds;
  }
  return end.empty() ? 0 : std::ranges::max(end);
}

double SymmetricRounds::seconds(bool earliest_first) const {
  constexpr std::size_t most_followed = 700;
  const double others = times_ > 1 ? (times_ - 1) * busiest() : 0;
  if (messages_.size() <= most_followed)
    return seconds_of_equal_ranks(messages_, links_.bytes_per_second(), earliest_first) + others;
  return std::max(longest_chain(true), longest_chain(false) + busiest()) + others;
}

}  // namespace cuboid::detail
