#include "collectives/engine/send_order.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace cuboid::detail {

SendOrder::SendOrder(const Schedule& schedule)
    : at_a_time_(static_cast<std::size_t>(schedule.sends_at_a_time)) {
  if (at_a_time_ == 0) return;
  std::map<int, std::size_t> numbers;
  std::vector<std::size_t> sends;  // the number of sends to each peer
  peer_of_.assign(schedule.steps.size(), nobody);
  for (std::size_t step = 0; step < schedule.steps.size(); ++step) {
    if (schedule.steps[step].kind != Step::Kind::send) continue;
    const auto [found, is_new] = numbers.try_emplace(schedule.steps[step].peer, numbers.size());
    if (is_new) sends.push_back(0);
    peer_of_[step] = found->second;
    ++sends[found->second];
  }
  peers_.resize(sends.size());
  for (std::size_t peer = 0; peer < sends.size(); ++peer) {
    peers_[peer].under_way.reserve(sends[peer]);
    peers_[peer].waiting.reserve(sends[peer]);
  }
}

SendOrder::ReceiverQueue* SendOrder::peer_of(StepId step) {
  if (peer_of_.empty() || peer_of_[step] == nobody) return nullptr;
  return &peers_[peer_of_[step]];
}

bool SendOrder::admit(StepId step) {
  ReceiverQueue* const peer = peer_of(step);
  if (peer == nullptr) return true;
  const auto comes_later = [step](StepId other) { return other > step; };
  if (peer->under_way.size() < at_a_time_ || std::ranges::all_of(peer->under_way, comes_later)) {
    peer->under_way.push_back(step);
    return true;
  }
  peer->waiting.push_back(step);
  std::ranges::push_heap(peer->waiting, std::greater());
  return false;
}

std::optional<StepId> SendOrder::ended(StepId step) {
  ReceiverQueue* const peer = peer_of(step);
  if (peer == nullptr) return std::nullopt;
  std::erase(peer->under_way, step);
  if (peer->waiting.empty() || peer->under_way.size() >= at_a_time_) return std::nullopt;
  std::ranges::pop_heap(peer->waiting, std::greater());
  const StepId next = peer->waiting.back();
  peer->waiting.pop_back();
  peer->under_way.push_back(next);
  return next;
}

void SendOrder::clear() {
  for (ReceiverQueue& peer : peers_) {
    peer.under_way.clear();
    peer.waiting.clear();
  }
}

}  // namespace cuboid::detail
