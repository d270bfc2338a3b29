#include "collectives/prices/common_rounds.hpp"

#include "collectives/rounds/shape_numbers.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cuboid::detail {

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
