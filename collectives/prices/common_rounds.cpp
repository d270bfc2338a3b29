#include "collectives/prices/common_rounds.hpp"

#include <utility>

namespace cuboid::detail {

void CommonRounds::add(std::span<const int> distances, double bytes,
                       std::vector<std::size_t> after) {
  messages_.push_back(links_.message(distances, bytes));
  messages_.back().after = std::move(after);
  messages_.back().receive_seconds += copy_seconds_per_byte_ * bytes;
  bytes_ += bytes;
}

void CommonRounds::reverse(double combine_seconds_per_byte) {
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
}

RoundsSteps CommonRounds::steps() const {
  const auto rounds = static_cast<double>(first_of_round_.size());
  return {.rounds = rounds,
          .bytes = bytes_,
          .messages = rounds > 0 ? static_cast<double>(messages_.size()) / rounds : 0};
}

}  // namespace cuboid::detail
