#include "collectives/ucx/ucx_answers.hpp"

#include <algorithm>
#include <utility>

namespace cuboid::detail {

namespace {

/// Less than half of what any socket takes.
constexpr std::size_t most_unanswered = 8 << 10;

}  // namespace

UcxAnswers::UcxAnswers(const std::vector<bool>& needed) : peers_(needed.size()) {
  for (std::size_t peer = 0; peer < needed.size(); ++peer)
    peers_[peer].state = needed[peer] ? AnswerState::silent : AnswerState::answered;
}

bool UcxAnswers::may_go(int number, std::size_t bytes) {
  UcxPeer& peer = at(number);
  if (peer.held > 0) return false;  // messages keep their order
  if (peer.state == AnswerState::answered || peer.state == AnswerState::ended) return true;
  if (peer.state == AnswerState::asked || bytes > most_unanswered - peer.bytes) return false;
  peer.bytes = static_cast<std::uint16_t>(peer.bytes + bytes);
  return true;
}

bool UcxAnswers::hold(const HeldMessage& message) {
  held_.push_back(message);
  UcxPeer& peer = at(message.peer);
  ++peer.held;
  if (peer.state != AnswerState::silent) return false;
  peer.state = AnswerState::asked;
  return true;
}

void UcxAnswers::cancel(const PendingTransfer& transfer) {
  const auto found = std::ranges::find(held_, &transfer, &HeldMessage::transfer);
  if (found == held_.end()) return;
  cancelled_.push_back(*found);
  --at(found->peer).held;
  held_.erase(found);
  due_ = true;
}

void UcxAnswers::answered(int peer) {
  if (at(peer).state == AnswerState::ended) return;
  at(peer).state = AnswerState::answered;
  due_ = due_ || !held_.empty();
}

void UcxAnswers::asked(int peer) {
  if (at(peer).state == AnswerState::ended) return;
  answered(peer);  // it asks on its own connection, so that is open
  to_answer_.push_back(peer);
  due_ = true;
}

void UcxAnswers::ended(int peer) {
  at(peer).state = AnswerState::ended;
  due_ = due_ || !held_.empty();
}

UcxAnswers::Due UcxAnswers::take_due() {
  due_ = false;
  Due due;
  due.answers.swap(to_answer_);
  due.cancelled.swap(cancelled_);
  std::deque<HeldMessage> waiting;
  for (const HeldMessage& message : held_) {
    UcxPeer& peer = at(message.peer);
    if (peer.state == AnswerState::asked) {
      waiting.push_back(message);
      continue;
    }
    --peer.held;
    (peer.state == AnswerState::answered ? due.go : due.lost).push_back(message);
  }
  held_ = std::move(waiting);
  return due;
}

}  // namespace cuboid::detail
